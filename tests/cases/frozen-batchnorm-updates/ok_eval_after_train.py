"""The frozen part is put back into evaluation mode after every train()."""

import torch
from torch import nn

torch.manual_seed(0)
body = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU())
with torch.no_grad():
    for _ in range(30):
        body(torch.randn(32, 8))
model = nn.Sequential(body, nn.Linear(16, 2))
body.requires_grad_(False)
optimizer = torch.optim.Adam(model[1].parameters(), lr=1e-2)
for _epoch in range(3):
    model.train()
    body.eval()
    for _ in range(5):
        x, y = 3 * torch.randn(16, 8) + 1, torch.randint(0, 2, (16,))
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
