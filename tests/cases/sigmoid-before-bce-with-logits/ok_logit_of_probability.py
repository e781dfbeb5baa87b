"""Probabilities brought back to logits before the loss."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1), nn.Sigmoid())
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(12):
    x = torch.randn(32, 6)
    p = net(x).squeeze(1)
    loss = F.binary_cross_entropy_with_logits(torch.logit(p, eps=1e-6), (x[:, 0] > 0).float())
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
