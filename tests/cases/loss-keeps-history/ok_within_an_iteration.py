"""Losses added up within an iteration (time steps, several heads), and a running number for the log."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
cell, head = nn.GRUCell(3, 8), nn.Linear(8, 1)
optimizer = torch.optim.Adam([*cell.parameters(), *head.parameters()], lr=1e-3)
running, h = 0.0, torch.zeros(16, 8)
for step in range(15):
    h = h.detach()
    total = 0.0
    for t in range(4):
        x = torch.randn(16, 3)
        h = cell(x, h)
        total = total + F.mse_loss(head(h), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    total.backward()
    optimizer.step()
    running += total.item()
    running = 0.9 * running + 0.1 * float(total.detach())
