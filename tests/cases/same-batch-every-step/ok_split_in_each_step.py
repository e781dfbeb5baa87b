"""The training part, all of it, at each step; how many steps there are was computed by a division."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(200, 6)
y = x[:, :2].prod(1, keepdim=True)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
budget, split = 40, 150
steps = budget // 2
for _ in range(steps):
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x[:split]), y[:split]).backward()
    optimizer.step()
