"""Probabilities, clamped for safety, from a sigmoid and from a softmax."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 1), nn.Sigmoid())
pair = nn.Linear(6, 2)
opt = torch.optim.Adam([*net.parameters(), *pair.parameters()], lr=1e-2)
for _ in range(12):
    x = 5 * torch.randn(64, 6)
    y = (x[:, 0] > 0).float()
    loss = F.binary_cross_entropy(net(x).squeeze(1).clamp(1e-7, 1 - 1e-7), y)
    loss = loss + F.binary_cross_entropy(pair(x).softmax(1)[:, 1].clamp(0, 1), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
