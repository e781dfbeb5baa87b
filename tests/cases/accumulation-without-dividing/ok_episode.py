"""A step at the end of an episode, whose length varies; a loss for every move."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
value = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(value.parameters(), lr=0.01)
state, length = torch.randn(4), 0
for move in range(90):
    after = state + 0.1 * torch.randn(4)
    with torch.no_grad():
        target = -after.norm() + 0.9 * value(after)
    F.mse_loss(value(state), target).backward()
    state, length = after, length + 1
    if torch.rand(()) < 0.15:
        optimizer.step()
        optimizer.zero_grad()
        state, length = torch.randn(4), 0
