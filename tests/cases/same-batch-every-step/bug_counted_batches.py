"""The number of batches has a name; the bounds of the slice do not move."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(400, 6)
y = x[:, :2].prod(1, keepdim=True)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
size = 20
batches = len(x) // size
for epoch in range(2):
    for number in range(batches):
        inputs = x[0:size]  # <- cause
        targets = y[0:size]  # <- cause
        optimizer.zero_grad()
        nn.functional.mse_loss(model(inputs), targets).backward()
        optimizer.step()
