"""Both passes, then both steps: the generator's loss works against the discriminator within its own step."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Linear(24, 2))
D = nn.Sequential(nn.Linear(2, 24), nn.LeakyReLU(0.2), nn.Linear(24, 1))
opt_g = torch.optim.RMSprop(G.parameters(), lr=5e-4)
opt_d = torch.optim.RMSprop(D.parameters(), lr=5e-4)
for step in range(20):
    opt_d.zero_grad()  # <- cause
    opt_g.zero_grad()
    fake = G(torch.randn(64, 4))
    d_loss = D(fake.detach()).mean() - D(0.5 * torch.randn(64, 2)).mean()
    d_loss.backward()  # <- cause
    g_loss = -D(fake).mean()
    g_loss.backward()  # <- cause
    opt_d.step()
    opt_g.step()
