"""The average is looked at in each epoch, and updated from the third on."""

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel

torch.manual_seed(0)
x = torch.randn(96, 8)
y = (x @ torch.randn(8, 3)).argmax(1)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))
averaged = AveragedModel(model)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
print(averaged(x).argmax(1)[:3])
for epoch in range(6):
    for rows in torch.randperm(96).split(16):
        opt.zero_grad()
        nn.functional.cross_entropy(model(x[rows]), y[rows]).backward()
        opt.step()
    if epoch >= 3:
        averaged.update_parameters(model)
    with torch.no_grad():
        print((averaged(x).argmax(1) == y).float().mean().item())
