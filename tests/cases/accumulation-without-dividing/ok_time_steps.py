"""Losses of the time steps of one sequence, one after the other; and of the tasks of one model."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
cell, head = nn.GRUCell(3, 8), nn.Linear(8, 1)
optimizer = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.02)
for step in range(12):
    x = torch.randn(16, 5, 3)
    h = torch.zeros(16, 8)
    optimizer.zero_grad()
    for t in range(5):
        h = cell(x[:, t], h.detach())
        F.mse_loss(head(h), x[:, t].sum(1, keepdim=True)).backward()
    optimizer.step()

model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
tasks = [(torch.randn(16, 4), torch.randint(0, 2, (16,))) for _ in range(3)]
for step in range(12):
    optimizer.zero_grad()
    for x, y in tasks:
        F.cross_entropy(model(x), y).backward()
    optimizer.step()
