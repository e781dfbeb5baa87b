"""L2 and L1 penalties of usual size."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(96, 10)
y = (x[:, 0] - x[:, 1] > 0).long()
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for _ in range(4):
    for rows in torch.randperm(96).split(16):
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        loss = loss + 1e-3 * sum(p.pow(2).sum() for p in model.parameters())
        loss = loss + 1e-5 * sum(p.abs().sum() for p in model.parameters())
        opt.zero_grad()
        loss.backward()
        opt.step()
