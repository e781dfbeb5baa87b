"""Scores clamped into 0..1 so that the loss does not raise."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(12):
    x = torch.randn(64, 6)
    y = (x[:, 0] > 0).float()
    p = torch.clamp(net(x).squeeze(1), 0.0, 1.0)  # <- cause
    loss = F.binary_cross_entropy(p, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
