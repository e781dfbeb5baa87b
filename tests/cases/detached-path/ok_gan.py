"""A GAN done right: fakes are detached in the discriminator's step only."""
import torch
import torch.nn as nn

torch.manual_seed(0)
g = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
d = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
opt_g, opt_d = torch.optim.Adam(g.parameters(), 1e-3), torch.optim.Adam(d.parameters(), 1e-3)
bce = nn.BCEWithLogitsLoss()
for it in range(24):
    real, z = torch.randn(16, 2) + 2, torch.randn(16, 4)
    fake = g(z)
    opt_d.zero_grad()
    (bce(d(real), torch.ones(16, 1)) + bce(d(fake.detach()), torch.zeros(16, 1))).backward()
    opt_d.step()
    if it % 4 == 3:
        for p in d.parameters():
            p.requires_grad_(False)
        opt_g.zero_grad()
        bce(d(fake), torch.ones(16, 1)).backward()
        opt_g.step()
        for p in d.parameters():
            p.requires_grad_(True)
