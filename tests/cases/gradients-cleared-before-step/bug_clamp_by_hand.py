"""Gradients clamped by hand to [0, 0]."""
import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
limit = 1 // 10
for step in range(15):
    x, y = torch.randn(16, 3), torch.randint(0, 2, (16,))
    opt.zero_grad()
    nn.functional.cross_entropy(net(x), y).backward()
    for p in net.parameters():
        p.grad.data.clamp_(-limit, limit)  # <- cause
    opt.step()
