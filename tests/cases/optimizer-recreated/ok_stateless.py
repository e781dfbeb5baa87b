"""SGD without momentum keeps nothing that could be lost; another model gets another optimizer; stages of training."""

import torch
from torch import nn


def fit(model, optimizer, steps):
    for _ in range(steps):
        x = torch.randn(16, 6)
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()


torch.manual_seed(0)
model = nn.Linear(6, 1)
for step in range(20):
    fit(model, torch.optim.SGD(model.parameters(), lr=0.02), 1)
for fold in range(4):
    fresh = nn.Linear(6, 1)
    fit(fresh, torch.optim.Adam(fresh.parameters(), lr=0.01), 3)
