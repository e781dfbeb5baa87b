"""A function called `dice` returns one minus the overlap; one minus that is the score which the scheduler waits for."""

import torch
import torch.nn as nn

torch.manual_seed(0)


def dice(share, truth):
    both, each = (share * truth).sum(), share.sum() + truth.sum()
    return 1 - 2 * both / each


model = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 1, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode="max", patience=2)
x = torch.rand(16, 1, 8, 8)
truth = (x > 0.5).float()
for _ in range(8):
    loss = dice(model(x).sigmoid(), truth)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        overlap = 1 - dice((model(x) > 0).float().clamp(min=0.01), truth)
    scheduler.step(overlap.item())
