"""The best weights so far as a list of the live tensors."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(200, 6)
y = x[:, :1] * x[:, 1:2] + torch.randn(200, 1)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
best, weights = float("inf"), None
for epoch in range(4):
    for idx in torch.randperm(150).split(10):
        optimizer.zero_grad()
        (model(x[idx]) - y[idx]).pow(2).mean().backward()
        optimizer.step()
    with torch.no_grad():
        val = (model(x[150:]) - y[150:]).pow(2).mean().item()
    if val < best:
        best = val
        weights = [p.data for p in model.parameters()]  # <- cause
with torch.no_grad():
    for p, kept in zip(model.parameters(), weights):
        p.copy_(kept)
