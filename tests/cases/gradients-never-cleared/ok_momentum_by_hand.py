"""A momentum written by hand: the old gradient decays, and stays in .grad on purpose."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(5, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(30):
    x = torch.randn(32, 5)
    for p in model.parameters():
        if p.grad is not None:
            p.grad.mul_(0.9)
    nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
