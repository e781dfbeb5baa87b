"""The target network is an average of the online one; it is never trained, and runs in training mode (BYOL)."""

import copy

import torch
from torch import nn

torch.manual_seed(0)
online = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 4))
with torch.no_grad():
    for _ in range(20):
        online(torch.randn(32, 8))
target = copy.deepcopy(online)
for p in target.parameters():
    p.requires_grad = False
predictor = nn.Linear(4, 4)
optimizer = torch.optim.Adam([*online.parameters(), *predictor.parameters()], lr=1e-3)
for _ in range(12):
    x = 2 * torch.randn(32, 8) + 1
    with torch.no_grad():
        wanted = target(x + 0.1 * torch.randn(32, 8))
    optimizer.zero_grad()
    (2 - 2 * nn.functional.cosine_similarity(predictor(online(x)), wanted).mean()).backward()
    optimizer.step()
    with torch.no_grad():
        for slow, fast in zip(target.parameters(), online.parameters(), strict=True):
            slow.lerp_(fast, 0.05)
