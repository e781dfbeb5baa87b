"""The factor of the penalty is far too large: nothing but the weights' size is learned."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 8)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.05)
LAMBDA = 1.0
for _ in range(4):
    for rows in torch.randperm(64).split(16):
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        for p in model.parameters():
            loss += LAMBDA * (p**2).sum()  # <- cause
        opt.zero_grad()
        loss.backward()
        opt.step()
