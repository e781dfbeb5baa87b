"""A warm-up by hand that counts the batches of the epoch, so that it begins again in each."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(320, 6)
y = (x @ torch.randn(6, 3)).argmax(1)
model = nn.Linear(6, 3)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(8):
    for i, rows in enumerate(torch.randperm(320).split(16)):
        for group in opt.param_groups:
            group["lr"] = 0.1 * min(1.0, (i + 1) / 15)  # <- cause
        opt.zero_grad()
        nn.functional.cross_entropy(model(x[rows]), y[rows]).backward()
        opt.step()
