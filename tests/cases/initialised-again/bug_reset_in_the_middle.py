"""After the warm-up phase the weights are initialised, and the same optimizer goes on."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(96, 8)
y = x[:, :1].sin()
model = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)


def init(m):
    if isinstance(m, nn.Linear):
        nn.init.kaiming_normal_(m.weight)  # <- cause


def train(steps):
    for _ in range(steps):
        rows = torch.randint(0, 96, (16,))
        opt.zero_grad()
        nn.functional.mse_loss(model(x[rows]), y[rows]).backward()
        opt.step()


train(4)
model.apply(init)  # <- cause
train(20)
