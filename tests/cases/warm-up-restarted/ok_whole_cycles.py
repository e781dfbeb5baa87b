import torch
from torch import nn
torch.manual_seed(0)
x = torch.randn(96, 6); y = (x @ torch.randn(6, 3)).argmax(1)
model = nn.Linear(6, 3)
opt = torch.optim.SGD(model.parameters(), lr=1e-1)
for cycle in range(6):
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=6)
    for idx in torch.randperm(96).split(16):
        opt.zero_grad()
        nn.functional.cross_entropy(model(x[idx]), y[idx]).backward()
        opt.step()
        sched.step()
    for g in opt.param_groups:
        g["lr"] = 0.1
