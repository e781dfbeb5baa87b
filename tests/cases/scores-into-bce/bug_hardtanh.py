"""Hardtanh(0, 1) as the last layer before BCELoss."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(
    nn.Linear(6, 12),
    nn.ReLU(),
    nn.Linear(12, 3),
    nn.Hardtanh(0.0, 1.0),  # <- cause
)
criterion = nn.BCELoss()
opt = torch.optim.SGD(net.parameters(), lr=1e-2)
for _ in range(12):
    x = torch.randn(64, 6)
    loss = criterion(net(x), (x[:, :3] > 0).float())
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
