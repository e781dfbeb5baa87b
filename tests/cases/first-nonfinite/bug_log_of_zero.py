"""A cross-entropy by hand: the sigmoid of a large number is 1, and the logarithm of the rest is infinite."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def loss_of(p, y):
    return -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()  # <- cause


for step in range(6):
    x = torch.randn(16, 4) * 200
    y = (x.sum(1, keepdim=True) < 0).float()
    loss = loss_of(torch.sigmoid(model(x)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
