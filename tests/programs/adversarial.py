"""Inputs that require a gradient: an attack, then training on what it found, and an input that is optimized."""

import torch
from torch import nn

torch.manual_seed(1)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
x = torch.randn(32, 4)
y = (x[:, 0] > 0).long()
for step in range(8):
    attacked = x.clone().requires_grad_(True)
    nn.functional.cross_entropy(model(attacked), y).backward()
    with torch.no_grad():
        attacked += 0.1 * attacked.grad.sign()
    loss = nn.functional.cross_entropy(model(attacked.detach()), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())

dream = torch.zeros(1, 4, requires_grad=True)
ascent = torch.optim.Adam([dream], lr=0.1)
for step in range(8):
    score = model(dream)[0, 1] - 0.01 * dream.square().sum()
    ascent.zero_grad()
    (-score).backward()
    ascent.step()
    print(score.item())
