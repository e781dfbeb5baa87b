"""A critic without bounds: its loss leaves zero, which is no divergence."""

import torch
import torch.nn as nn

torch.manual_seed(0)
g = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
d = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
opt_g, opt_d = torch.optim.RMSprop(g.parameters(), lr=5e-4), torch.optim.RMSprop(d.parameters(), lr=5e-4)
for step in range(12):
    real = torch.randn(32, 2) + 2
    fake = g(torch.randn(32, 4))
    loss_d = d(fake.detach()).mean() - d(real).mean()
    opt_d.zero_grad()
    loss_d.backward()
    opt_d.step()
    loss_g = -d(fake).mean()
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()
