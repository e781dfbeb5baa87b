"""An inner loop over micro-batches, a hand-written mean squared error, zero_grad at the top."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
for step in range(12):
    optimizer.zero_grad(set_to_none=True)
    for micro in range(6):
        x = torch.randn(8, 6)
        y = x.sum(1, keepdim=True)
        loss = ((model(x) - y) ** 2).mean()  # <- cause
        loss.backward()  # <- cause
    optimizer.step()
