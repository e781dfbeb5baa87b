"""A fixed random network that has learned nothing: its statistics are taken from the data as it runs."""

import torch
from torch import nn

torch.manual_seed(0)
features = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU())
for p in features.parameters():
    p.requires_grad = False
readout = nn.Linear(32, 2)
optimizer = torch.optim.Adam(readout.parameters(), lr=1e-2)
for _ in range(12):
    x, y = 3 * torch.randn(16, 8) + 1, torch.randint(0, 2, (16,))
    optimizer.zero_grad()
    nn.functional.cross_entropy(readout(features(x)), y).backward()
    optimizer.step()
