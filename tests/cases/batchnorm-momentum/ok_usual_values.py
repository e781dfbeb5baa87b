"""The default, a slower one, a cumulative one, and one whose statistics are not kept."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(
    nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(),
    nn.Linear(16, 16), nn.BatchNorm1d(16, momentum=0.01), nn.ReLU(),
    nn.Linear(16, 16), nn.BatchNorm1d(16, momentum=None), nn.ReLU(),
    nn.Linear(16, 16), nn.BatchNorm1d(16, momentum=1.0, track_running_stats=False), nn.ReLU(),
    nn.Linear(16, 2),
)  # fmt: skip
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(12):
    x, y = torch.randn(8, 8), torch.randint(0, 2, (8,))
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
