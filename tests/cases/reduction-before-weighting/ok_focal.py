"""Focal and weighted losses with one loss a sample, and a focal Tversky loss, which is a number by definition."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(12):
    x, y = torch.randn(32, 6), torch.randint(0, 3, (32,))
    logits = model(x)
    ce = F.cross_entropy(logits, y, reduction="none")
    focal = ((1 - torch.exp(-ce)) ** 2 * ce).mean()
    weighted = (ce * torch.rand(32)).sum() / 32
    p = logits.softmax(1)[:, 1]
    hit = (p * (y == 1)).sum()
    tversky = (hit + 1) / (hit + 0.3 * (p * (y != 1)).sum() + 0.7 * ((1 - p) * (y == 1)).sum() + 1)
    loss = focal + weighted + (1 - tversky) ** 0.75 + torch.log(torch.cosh(1 - tversky))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
