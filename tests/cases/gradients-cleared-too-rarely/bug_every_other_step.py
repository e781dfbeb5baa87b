"""Accumulation where zero_grad waits for the fourth batch, and step does not."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(6, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for i in range(24):
    x = torch.randn(16, 6)
    loss = nn.functional.cross_entropy(model(x), x[:, :3].argmax(1)) / 4
    loss.backward()
    optimizer.step()
    if (i + 1) % 4 == 0:
        optimizer.zero_grad()  # <- cause
