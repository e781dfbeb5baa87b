"""A model in float64, which autocast leaves alone."""

import torch
from torch import nn

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
x = torch.randn(96, 8)
y = x[:, :1].sin()
model = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)


def train_step(xb, yb):
    opt.zero_grad()
    with torch.amp.autocast("cpu"):  # <- cause
        loss = ((model(xb) - yb) ** 2).mean()
    loss.backward()
    opt.step()


for _ in range(2):
    for rows in torch.randperm(96).split(16):
        train_step(x[rows], y[rows])
