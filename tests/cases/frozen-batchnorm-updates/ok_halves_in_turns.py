"""The judge of a GAN is frozen while the generator steps, and set free again."""

import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 6))
judge = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
for_generator = torch.optim.Adam(generator.parameters(), lr=1e-3)
for_judge = torch.optim.Adam(judge.parameters(), lr=1e-3)
bce = nn.BCEWithLogitsLoss()
for _ in range(12):
    real, noise = 2 * torch.randn(16, 6) + 3, torch.randn(16, 4)
    judge.requires_grad_(True)
    for_judge.zero_grad()
    (
        bce(judge(real), torch.ones(16, 1)) + bce(judge(generator(noise).detach()), torch.zeros(16, 1))
    ).backward()
    for_judge.step()
    judge.requires_grad_(False)
    for_generator.zero_grad()
    bce(judge(generator(noise)), torch.ones(16, 1)).backward()
    for_generator.step()
