"""A closure that does not clear."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=4)
x = torch.randn(64, 4)
y = x.sum(1, keepdim=True)


def closure():
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()  # <- cause
    return loss


for step in range(8):
    optimizer.step(closure)
