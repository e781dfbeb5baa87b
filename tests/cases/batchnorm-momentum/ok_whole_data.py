"""The whole data in every step: the last batch's statistics are those of all."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(300, 8)
y = x.sum(1, keepdim=True)
model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16, momentum=0.9), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(12):
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()
