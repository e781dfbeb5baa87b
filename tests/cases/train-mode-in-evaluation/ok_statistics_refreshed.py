"""After each epoch the statistics are taken anew, in training mode on purpose; nobody reads the outputs."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(640, 8)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    for rows in torch.randperm(640).split(16):
        opt.zero_grad()
        nn.functional.cross_entropy(model(x[rows]), y[rows]).backward()
        opt.step()
    with torch.no_grad():
        for rows in torch.randperm(640).split(64):
            model(x[rows])
