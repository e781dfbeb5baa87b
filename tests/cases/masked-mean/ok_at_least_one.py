"""Guarded in three ways, and a mask that is never empty."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(20):
    x, y = torch.randn(8, 5), torch.randint(0, 4, (8,))
    mask = (torch.rand(8) < (0.0 if step % 4 == 1 else 0.6)).float()
    each = F.cross_entropy(model(x), y, reduction="none")
    loss = (each * mask).sum() / mask.sum().clamp(min=1) + (each * mask).sum() / (mask.sum() + 1e-6)
    if mask.sum() > 0:
        loss = loss + (each * mask).sum() / mask.sum()
    always = torch.cat([torch.ones(1), mask[1:]])
    loss = loss + (each * always).sum() / always.sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
