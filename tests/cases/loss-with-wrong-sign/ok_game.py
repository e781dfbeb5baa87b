"""A GAN whose generator maximises the discriminator's loss, and an attack that climbs a fixed model's loss."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
gen, disc = nn.Linear(3, 2), nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
opt_g = torch.optim.Adam(gen.parameters(), lr=1e-3)
opt_d = torch.optim.Adam(disc.parameters(), lr=1e-3, maximize=False)
delta = torch.zeros(32, 2, requires_grad=True)
attack = torch.optim.SGD([delta], lr=0.1, maximize=True)
for _ in range(12):
    real, fake = torch.randn(32, 2) + 1, gen(torch.randn(32, 3))
    y = torch.cat([torch.ones(32, 1), torch.zeros(32, 1)])
    d_loss = F.binary_cross_entropy_with_logits(disc(torch.cat([real, fake.detach()])), y)
    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()
    g_loss = -F.binary_cross_entropy_with_logits(disc(torch.cat([real, fake])), y)
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
    attack.zero_grad()
    F.binary_cross_entropy_with_logits(disc(real + delta), torch.ones(32, 1)).backward()
    attack.step()
print(d_loss.item(), g_loss.item())
