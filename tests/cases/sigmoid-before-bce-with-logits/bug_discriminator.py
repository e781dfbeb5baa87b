"""A GAN whose discriminator ends in a sigmoid while the loss takes one itself."""

import torch
from torch import nn

torch.manual_seed(0)
gen = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
disc = nn.Sequential(
    nn.Linear(2, 16),
    nn.LeakyReLU(0.2),
    nn.Linear(16, 1),
    nn.Sigmoid(),  # <- cause
)
bce = nn.BCEWithLogitsLoss()
opt_g = torch.optim.Adam(gen.parameters(), lr=1e-3)
opt_d = torch.optim.Adam(disc.parameters(), lr=1e-3)
for _ in range(12):
    real = torch.randn(32, 2) + 2
    fake = gen(torch.randn(32, 4))
    d_loss = bce(disc(real), torch.ones(32, 1)) + bce(disc(fake.detach()), torch.zeros(32, 1))
    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()
    g_loss = bce(disc(fake), torch.ones(32, 1))
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
print(d_loss.item(), g_loss.item())
