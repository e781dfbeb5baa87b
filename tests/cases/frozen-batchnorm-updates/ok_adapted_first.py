"""Statistics are adapted to the new data on purpose, before the head is trained in evaluation mode (AdaBN)."""

import torch
from torch import nn

torch.manual_seed(0)
body = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU())
with torch.no_grad():
    for _ in range(30):
        body(torch.randn(32, 8))
for p in body.parameters():
    p.requires_grad = False
with torch.no_grad():
    for _ in range(10):
        body(3 * torch.randn(32, 8) + 1)
body.eval()
head = nn.Linear(16, 2)
optimizer = torch.optim.Adam(head.parameters(), lr=1e-2)
for _ in range(12):
    x, y = 3 * torch.randn(16, 8) + 1, torch.randint(0, 2, (16,))
    optimizer.zero_grad()
    nn.functional.cross_entropy(head(body(x)), y).backward()
    optimizer.step()
