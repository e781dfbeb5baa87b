"""The frozen part meets the data that it learned from: its statistics stay where they are."""

import torch
from torch import nn

torch.manual_seed(0)
body = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU())
with torch.no_grad():
    for _ in range(60):
        body(torch.randn(64, 8))
for p in body.parameters():
    p.requires_grad = False
head = nn.Linear(16, 2)
optimizer = torch.optim.Adam(head.parameters(), lr=1e-2)
for _ in range(12):
    x, y = torch.randn(64, 8), torch.randint(0, 2, (64,))
    optimizer.zero_grad()
    nn.functional.cross_entropy(head(body(x)), y).backward()
    optimizer.step()
