"""Cyclical learning rates: up and down again, on purpose."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(96, 6)
y = (x @ torch.randn(6, 3)).argmax(1)
model = nn.Linear(6, 3)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(10):
    for i, rows in enumerate(torch.randperm(96).split(16)):
        opt.param_groups[0]["lr"] = 0.02 + 0.03 * min(i, 6 - i)
        opt.zero_grad()
        nn.functional.cross_entropy(model(x[rows]), y[rows]).backward()
        opt.step()
