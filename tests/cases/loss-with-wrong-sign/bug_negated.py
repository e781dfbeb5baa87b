"""A minus before the cross-entropy."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(12):
    x = torch.randn(32, 8)
    y = x[:, :3].argmax(1)
    loss = -F.cross_entropy(net(x), y)  # <- cause
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
