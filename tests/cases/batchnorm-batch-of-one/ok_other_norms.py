"""One image a step through layers that do not look at the batch, or keep no statistics of it."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(
    nn.Conv2d(1, 4, 3), nn.GroupNorm(2, 4), nn.ReLU(),
    nn.Conv2d(4, 4, 3), nn.InstanceNorm2d(4, affine=True), nn.ReLU(),
    nn.Conv2d(4, 4, 3), nn.BatchNorm2d(4, track_running_stats=False), nn.Flatten(), nn.LazyLinear(1),
)  # fmt: skip
model(torch.zeros(1, 1, 10, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(12):
    x = torch.randn(1, 1, 10, 10) * (1 + step % 3)
    optimizer.zero_grad()
    (model(x) - x.mean()).square().mean().backward()
    optimizer.step()
