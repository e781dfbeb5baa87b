"""A lasso penalty on every weight, given a factor for a mean."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(96, 10)
y = x[:, :1] - x[:, 1:2]
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
criterion = nn.MSELoss()
for _ in range(4):
    for rows in torch.randperm(96).split(16):
        data_loss = criterion(model(x[rows]), y[rows])
        l1 = torch.stack([p.abs().sum() for p in model.parameters()]).sum()
        total = data_loss + 0.5 * l1  # <- cause
        opt.zero_grad()
        total.backward()
        opt.step()
