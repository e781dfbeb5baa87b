"""Two runs of one model: it is initialised for each, and so is the optimizer."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(96, 8)
y = x[:, :1].sin()
model = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 1))
for run in range(2):
    torch.manual_seed(run)
    for m in model:
        if isinstance(m, nn.Linear):
            nn.init.kaiming_normal_(m.weight)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(6):
        rows = torch.randint(0, 96, (16,))
        opt.zero_grad()
        nn.functional.mse_loss(model(x[rows]), y[rows]).backward()
        opt.step()
