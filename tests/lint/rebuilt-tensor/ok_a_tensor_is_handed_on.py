"""as_tensor, asarray and Tensor(...) of what is a tensor already hand it on, history included."""

import torch
from torch import nn


class Tower(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.second = nn.Linear(4, 4)

    def forward(self, x):
        half = torch.Tensor(self.first(x))
        return torch.as_tensor(self.second(half)) + torch.asarray(half)


tower = Tower()
optimizer = torch.optim.Adam(tower.parameters())
for _ in range(20):
    optimizer.zero_grad()
    loss = torch.as_tensor(tower(torch.randn(6, 4)).square().mean(), dtype=torch.float64)
    loss.backward()
    optimizer.step()
