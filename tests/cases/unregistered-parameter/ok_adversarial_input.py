"""Adversarial training: the perturbation is a leaf that requires grad and belongs to no optimizer."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 20), nn.ReLU(), nn.Linear(20, 2))
opt = torch.optim.SGD(net.parameters(), 0.1)
for _ in range(12):
    x = torch.randn(32, 6)
    y = (x[:, 0] > 0).long()
    delta = torch.zeros_like(x, requires_grad=True)
    F.cross_entropy(net(x + delta), y).backward()
    delta = (0.1 * delta.grad.sign()).detach()
    opt.zero_grad()
    F.cross_entropy(net(x + delta), y).backward()
    opt.step()
