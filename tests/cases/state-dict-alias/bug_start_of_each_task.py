"""Each task shall start from the same weights, but the tasks are longer than the window."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 1))
start = copy.copy(model.state_dict())  # <- cause
for task in range(3):
    model.load_state_dict(start)  # <- cause
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(120):
        x = torch.rand(16, 1) * 4 - 2
        loss = (model(x) - torch.sin(x + task)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
