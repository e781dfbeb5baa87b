"""The differences of all pairs, squared by a product with themselves."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(12):
    x = torch.randn(16, 4)
    error = model(x) - x.sum(1)  # <- cause
    loss = (error * error).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
