"""No zero_grad at all."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
for step in range(30):
    x = torch.randn(16, 6)
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()  # <- cause
    optimizer.step()
