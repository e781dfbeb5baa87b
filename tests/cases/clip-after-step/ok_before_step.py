"""Clipped before the step; afterwards the norm is measured for the log, by a limit of infinity and by a second call."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(15):
    x = torch.randn(16, 6)
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), 5 * x.sum(1, keepdim=True)).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    norm = nn.utils.clip_grad_norm_(model.parameters(), float("inf"))
    again = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
