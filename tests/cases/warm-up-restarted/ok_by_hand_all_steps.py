"""A warm-up by hand over all steps, and a fall after it."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(96, 6)
y = (x @ torch.randn(6, 3)).argmax(1)
model = nn.Linear(6, 3)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
step = 0
for _ in range(12):
    for rows in torch.randperm(96).split(16):
        step += 1
        for group in opt.param_groups:
            group["lr"] = 0.1 * min(1.0, step / 20, 20 / step)
        opt.zero_grad()
        nn.functional.cross_entropy(model(x[rows]), y[rows]).backward()
        opt.step()
