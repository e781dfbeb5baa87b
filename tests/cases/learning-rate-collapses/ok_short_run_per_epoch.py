"""The whole training is ten full-batch epochs: cosine down to 0 is right, and so are milestones at 5 and 8."""

import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(64, 4)
y = x.sum(1, keepdim=True)
for make in (
    lambda o: torch.optim.lr_scheduler.CosineAnnealingLR(o, T_max=10),
    lambda o: torch.optim.lr_scheduler.MultiStepLR(o, [5, 8], gamma=0.1),
):
    net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    sched = make(opt)
    for epoch in range(10):
        loss = (net(x) - y).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
