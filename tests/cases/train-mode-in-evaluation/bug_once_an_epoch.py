"""The evaluation comes after more steps than are observed closely, and eval() stands nowhere."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(640, 8)
y = (x[:, 0] > 0).long()
held_x = torch.randn(64, 8)
held_y = (held_x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    for rows in torch.randperm(640).split(16):
        opt.zero_grad()
        nn.functional.cross_entropy(model(x[rows]), y[rows]).backward()
        opt.step()
    with torch.no_grad():  # <- cause
        print((model(held_x).argmax(1) == held_y).float().mean().item())
