"""The rows that unbind gives are changed in place, one after the other."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(3, 4)


def rescale(h):
    rows = h.unbind(0)
    for number, row in enumerate(rows):
        row *= number + 1  # <- cause
    return h


for step in range(3):
    loss = rescale(model(x)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
