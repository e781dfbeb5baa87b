"""The bias of attention keys has a gradient of rounding noise: nothing to learn there, and nothing wrong."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class Pool(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.query = nn.Parameter(torch.randn(dim))
        self.key, self.value = nn.Linear(dim, dim), nn.Linear(dim, 1)

    def forward(self, x):
        weights = torch.softmax(self.key(x) @ self.query, dim=1)
        return (weights.unsqueeze(-1) * self.value(x)).sum(1)


pool = Pool(6)
opt = torch.optim.SGD(pool.parameters(), lr=0.1)
x = torch.randn(20, 5, 6)
for _ in range(12):
    opt.zero_grad()
    loss = (pool(x) - x.amax((1, 2)).unsqueeze(1)).abs().mean()
    loss.backward()
    opt.step()
