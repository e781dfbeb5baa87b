"""The penalty is 0 and has no slope there: the square of what is 0 for every sample."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 4))
opt = torch.optim.SGD(model.parameters(), lr=1e-2)
for step in range(30):
    x = torch.randn(16, 6)
    out = model(x)
    loss = (out.sum(1) - out.sum(1)).pow(2).mean()  # <- cause
    opt.zero_grad()
    loss.backward()
    opt.step()
