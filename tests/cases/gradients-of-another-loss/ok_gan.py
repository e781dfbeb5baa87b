"""A GAN, cleared right before each pass; the discriminator's pass goes through the generator without harm."""

import torch
from torch import nn

torch.manual_seed(0)
G = nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Linear(24, 2))
D = nn.Sequential(nn.Linear(2, 24), nn.LeakyReLU(0.2), nn.Linear(24, 1))
opt_g = torch.optim.Adam(G.parameters(), lr=1e-3)
opt_d = torch.optim.Adam(D.parameters(), lr=1e-3)
criterion = nn.BCEWithLogitsLoss()
for step in range(20):
    opt_d.zero_grad()
    criterion(D(2 + torch.randn(32, 2)), torch.ones(32, 1)).backward()
    criterion(D(G(torch.randn(32, 4))), torch.zeros(32, 1)).backward()
    opt_d.step()
    opt_g.zero_grad()
    criterion(D(G(torch.randn(32, 4))), torch.ones(32, 1)).backward()
    opt_g.step()
