"""The decorator stands on the function that computes the loss, the model has run before."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(96, 8)
y = (x @ torch.randn(8, 3)).argmax(1)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)


@torch.autocast("cpu", dtype=torch.bfloat16)  # <- cause
def criterion(out, target):
    return -out.log_softmax(1)[torch.arange(len(target)), target].mean()


for _ in range(2):
    for rows in torch.randperm(96).split(16):
        opt.zero_grad()
        loss = criterion(model(x[rows]), y[rows])
        loss.backward()
        opt.step()
