"""Attention over time whose weights sum to 1 over the samples."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Pooling(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(12, 1)
        self.out = nn.Linear(12, 3)

    def forward(self, h):
        weights = F.softmax(self.score(h), dim=0)  # <- cause
        return self.out((weights * h).sum(1))


model = Pooling()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(12):
    y = torch.randint(0, 3, (32,))
    h = torch.randn(32, 9, 12)
    h[:, 4, :3] += 3 * F.one_hot(y, 3)
    loss = F.cross_entropy(model(h), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
