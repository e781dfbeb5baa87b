"""Gradual unfreezing: after the first epoch the backbone trains as well, in training mode."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 8)
y = (x[:, 0] > 0).long()
backbone = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU())
model = nn.Sequential(backbone, nn.Linear(16, 2))
with torch.no_grad():
    for rows in torch.randperm(64).split(16):
        backbone(x[rows])
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(5):
    model.train()
    if epoch == 0:
        backbone.requires_grad_(False)
        backbone.eval()
    elif epoch == 1:
        backbone.requires_grad_(True)
    for rows in torch.randperm(64).split(16):
        opt.zero_grad()
        nn.functional.cross_entropy(model(x[rows]), y[rows]).backward()
        opt.step()
