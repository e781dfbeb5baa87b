"""Probabilities for both arguments of kl_div, in a distillation."""

import torch
import torch.nn.functional as F
from torch import nn


def distill(student, teacher, temperature=2.0):
    p = F.softmax(student / temperature, dim=1)
    q = F.softmax(teacher / temperature, dim=1)
    return F.kl_div(p, q, reduction="batchmean")  # <- cause


torch.manual_seed(0)
teacher, student = nn.Linear(8, 4), nn.Linear(8, 4)
opt = torch.optim.Adam(student.parameters(), lr=1e-2)
for _ in range(12):
    x = torch.randn(32, 8)
    with torch.no_grad():
        goal = 3 * teacher(x)
    loss = distill(student(x), goal)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
