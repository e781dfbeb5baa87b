"""Backward is called again on the same loss, for a line search that only repeats the step."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.Sigmoid(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(16, 4), torch.randn(16, 1)
loss = (model(x) - y).square().mean()  # <- cause
for step in range(3):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
