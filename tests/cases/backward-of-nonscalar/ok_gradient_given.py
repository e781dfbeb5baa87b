"""Backward of a vector with a gradient, and of a loss with one element."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(5, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
x = torch.randn(16, 5)
for step in range(12):
    losses = (model(x) - x.sum(1, keepdim=True)).square()
    optimizer.zero_grad()
    if step % 2:
        losses.backward(torch.full_like(losses, 1 / 16))
    else:
        losses.mean().reshape(1, 1).backward()
    optimizer.step()
