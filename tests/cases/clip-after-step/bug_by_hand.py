"""Clipping by hand after the step."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(6, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(15):
    x = torch.randn(16, 6)
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), 9 * x.sum(1, keepdim=True))
    loss.backward()
    optimizer.step()
    for p in model.parameters():
        p.grad.data.clamp_(-0.1, 0.1)  # <- cause
