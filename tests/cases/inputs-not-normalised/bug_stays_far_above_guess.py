"""Columns of very different sizes under Adam: the loss falls, from a thousand times that of a guess to a hundred times."""

import torch
from torch import nn

torch.manual_seed(0)
income = 50000 + 15000 * torch.randn(1000)
age = 40 + 12 * torch.randn(1000)
x = torch.stack([income, age], 1)  # <- cause
y = (age > 40).float().unsqueeze(1)
model = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
loss_function = nn.BCEWithLogitsLoss()
for _ in range(12):
    i = torch.randint(0, 1000, (64,))
    loss = loss_function(model(x[i]), y[i])  # <- cause
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
