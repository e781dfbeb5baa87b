"""The averaged model is made, evaluated in the end, and never told of the trained weights."""

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel

torch.manual_seed(0)
x = torch.randn(96, 8)
y = (x @ torch.randn(8, 3)).argmax(1)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))
averaged = AveragedModel(model)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(6):
    for rows in torch.randperm(96).split(16):
        opt.zero_grad()
        nn.functional.cross_entropy(model(x[rows]), y[rows]).backward()
        opt.step()
averaged.eval()
with torch.no_grad():
    print((averaged(x).argmax(1) == y).float().mean().item())  # <- cause
