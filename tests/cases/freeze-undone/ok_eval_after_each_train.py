"""The norm layers are put into evaluation mode after every train()."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 8)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 2))
with torch.no_grad():
    for rows in torch.randperm(64).split(16):
        model(x[rows])
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(4):
    model.train()
    model[1].eval()
    for rows in torch.randperm(64).split(16):
        opt.zero_grad()
        nn.functional.cross_entropy(model(x[rows]), y[rows]).backward()
        opt.step()
    model.eval()
    with torch.no_grad():
        print((model(x).argmax(1) == y).float().mean().item())
