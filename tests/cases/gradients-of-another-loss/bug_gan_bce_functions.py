"""A GAN with BCE, trained by functions: everything is cleared once at the top, the discriminator's pass comes second."""

import torch
from torch import nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Linear(24, 2))
D = nn.Sequential(nn.Linear(2, 24), nn.LeakyReLU(0.2), nn.Linear(24, 1))
opt_g = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.5, 0.999))
opt_d = torch.optim.Adam(D.parameters(), lr=1e-3, betas=(0.5, 0.999))
criterion = nn.BCEWithLogitsLoss()
ones, zeros = torch.ones(32, 1), torch.zeros(32, 1)


def train_generator(fake):
    loss = criterion(D(fake), ones)
    loss.backward()  # <- cause
    opt_g.step()


def train_discriminator(fake, real):
    loss = criterion(D(real), ones) + criterion(D(fake.detach()), zeros)
    loss.backward()  # <- cause
    opt_d.step()


for step in range(20):
    for optimizer in (opt_g, opt_d):
        optimizer.zero_grad()  # <- cause
    fake = G(torch.randn(32, 4))
    train_generator(fake)
    train_discriminator(fake, 2 + 0.5 * torch.randn(32, 2))
