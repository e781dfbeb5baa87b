import torch
from torch import nn
torch.manual_seed(0)
x = torch.randn(96, 6); y = (x @ torch.randn(6, 3)).argmax(1)
model = nn.Linear(6, 3)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)


def train_epoch(epoch):
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / 100))  # <- cause
    for idx in torch.randperm(96).split(16):
        opt.zero_grad()
        nn.functional.cross_entropy(model(x[idx]), y[idx]).backward()
        opt.step()
        sched.step()


for epoch in range(8):
    train_epoch(epoch)
