"""The penalty is taken away from the loss."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 8)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(4):
    for rows in torch.randperm(64).split(16):
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        l2 = sum(p.pow(2).sum() for p in model.parameters())
        loss = loss - 1e-3 * l2  # <- cause
        opt.zero_grad()
        loss.backward()
        opt.step()
