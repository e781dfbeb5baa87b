"""A standard deviation is predicted as the exponential of an output that is not bounded."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(6):
    x = torch.randn(16, 4) * (400 if step == 2 else 1)
    mean, raw = model(x).chunk(2, dim=1)
    spread = torch.exp(raw)  # <- cause
    loss = ((x[:, :1] - mean).square() * spread - raw).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
