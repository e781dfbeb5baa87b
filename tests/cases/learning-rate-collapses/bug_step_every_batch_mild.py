"""StepLR(step_size=1 epoch, gamma=0.5): after ten batches a thousandth is left."""

import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.GRU(2, 8, batch_first=True)
out = nn.Linear(8, 1)
opt = torch.optim.Adam([*net.parameters(), *out.parameters()], lr=1e-2)
sched = torch.optim.lr_scheduler.StepLR(opt, step_size=1, gamma=0.5)


def train_epoch(n):
    for _ in range(n):
        x = torch.randn(8, 5, 2)
        loss = (out(net(x)[0][:, -1]) - x.sum((1, 2)).unsqueeze(1)).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()  # <- cause


for _ in range(3):
    train_epoch(12)
