"""A GAN: two optimizers, a detached fake for the discriminator, which is frozen in the generator's turn."""

import torch
from torch import nn

torch.manual_seed(1)
generator = nn.Sequential(nn.Linear(4, 16), nn.LeakyReLU(0.2), nn.Linear(16, 2))
discriminator = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
optimizer_g = torch.optim.Adam(generator.parameters(), lr=2e-3, betas=(0.5, 0.999))
optimizer_d = torch.optim.Adam(discriminator.parameters(), lr=2e-3, betas=(0.5, 0.999))
criterion = nn.BCEWithLogitsLoss()
for step in range(12):
    real = torch.randn(16, 2) * 0.3 + 1
    fake = generator(torch.randn(16, 4))
    discriminator.requires_grad_(True)
    loss_d = criterion(discriminator(real), torch.ones(16, 1))
    loss_d = loss_d + criterion(discriminator(fake.detach()), torch.zeros(16, 1))
    optimizer_d.zero_grad()
    loss_d.backward()
    optimizer_d.step()
    discriminator.requires_grad_(False)
    loss_g = criterion(discriminator(fake), torch.ones(16, 1))
    optimizer_g.zero_grad()
    loss_g.backward()
    optimizer_g.step()
    print(loss_d.item(), loss_g.item())
