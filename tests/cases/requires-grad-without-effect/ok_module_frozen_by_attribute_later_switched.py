"""module.requires_grad = True does nothing, but the parameters are switched on properly afterwards."""

import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 2))
net.requires_grad_(False)
net.requires_grad = True
for p in net.parameters():
    p.requires_grad = True
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(30, 6), torch.randint(0, 2, (30,))
for _ in range(12):
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
