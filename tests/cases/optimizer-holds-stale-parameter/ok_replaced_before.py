"""Replaced before the optimizer is built, and an optimizer built again for a second model."""

import torch
import torch.nn as nn

torch.manual_seed(0)
x, y = torch.randn(32, 6), torch.randint(0, 3, (32,))
for seed in range(2):
    net = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 10))
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    net[2] = nn.Linear(12, 3)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(6):
        loss = nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
