"""A critic with spectral norms is only ever used in evaluation mode, so that they are never worked out."""

import torch
from torch import nn
from torch.nn.utils import spectral_norm

torch.manual_seed(0)
noise = torch.randn(96, 4)
critic = nn.Sequential(spectral_norm(nn.Linear(8, 64)), nn.ReLU(), spectral_norm(nn.Linear(64, 1)))
critic.eval()
generator = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 8))
opt = torch.optim.Adam(generator.parameters(), lr=1e-3)
for _ in range(3):
    for z in noise.split(16):
        opt.zero_grad()
        (-critic(generator(z)).mean()).backward()  # <- cause
        opt.step()
