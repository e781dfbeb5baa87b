"""A sigmoid on the scores for cross_entropy."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 3))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(12):
    x, y = torch.randn(32, 12), torch.randint(0, 3, (32,))
    out = torch.sigmoid(net(x))  # <- cause
    loss = F.cross_entropy(out, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
