import torch
from torch import nn

from engine import advance

model, other = nn.Linear(4, 1), nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for i, (x, y) in enumerate(loader):
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    advance(optimizer)

turns = torch.optim.SGD(other.parameters(), lr=0.1)
for i, (x, y) in enumerate(loader):
    nn.functional.mse_loss(other(x), y).backward()
    if i % 2:
        turns.step()
        turns.zero_grad()
