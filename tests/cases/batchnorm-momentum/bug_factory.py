"""A function makes the layers; the momentum comes from a constant."""

import torch
from torch import nn

BN_MOMENTUM = 0.997


def norm(features):
    return nn.BatchNorm1d(features, momentum=BN_MOMENTUM)  # <- cause


torch.manual_seed(0)
encoder = nn.Sequential(nn.Conv1d(4, 8, 3), norm(8), nn.ReLU())
head = nn.Sequential(nn.Flatten(), nn.Linear(48, 8), norm(8), nn.ReLU(), nn.Linear(8, 2))
optimizer = torch.optim.RMSprop([*encoder.parameters(), *head.parameters()], lr=1e-3)
for _ in range(12):
    x, y = torch.randn(12, 4, 8), torch.randint(0, 2, (12,))
    optimizer.zero_grad()
    nn.functional.cross_entropy(head(encoder(x)), y).backward()
    optimizer.step()
