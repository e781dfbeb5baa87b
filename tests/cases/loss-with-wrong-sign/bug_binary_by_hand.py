"""Binary cross entropy written by hand, without its minus."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(12):
    x = torch.randn(64, 8)
    y = (x[:, 0] > x[:, 1]).float()
    p = torch.sigmoid(model(x)).squeeze(1)
    loss = (y * torch.log(p + 1e-7) + (1 - y) * torch.log(1 - p + 1e-7)).mean()  # <- cause
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
