"""A state that is handed on from batch to batch without detach, so that retain_graph seemed necessary."""

import torch
from torch import nn

torch.manual_seed(0)
readin, readout = nn.Linear(4, 8), nn.Linear(8, 1)
optimizer = torch.optim.SGD([*readin.parameters()], lr=0.01)
state = torch.zeros(16, 8)
for step in range(15):
    x = torch.randn(16, 4)
    state = 0.5 * state + readin(x)  # <- cause
    loss = (state.mean(1) - x.sum(1)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)  # <- cause
    optimizer.step()
