"""The best weights so far, copied; and a list of the live parameters for clipping and a penalty."""

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
        live = list(model.parameters())
        loss = (model(x[idx]) - y[idx]).pow(2).mean() + 1e-4 * sum(p.pow(2).sum() for p in live)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(live, 5.0)
        optimizer.step()
    with torch.no_grad():
        val = (model(x[150:]) - y[150:]).pow(2).mean().item()
    if val < best:
        best = val
        weights = [p.detach().clone() for p in model.parameters()]
with torch.no_grad():
    for p, kept in zip(model.parameters(), weights):
        p.copy_(kept)
