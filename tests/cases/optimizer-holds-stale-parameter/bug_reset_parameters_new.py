"""A reset method puts new Parameters in place instead of writing into the old ones."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class Gate(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.reset(dim)

    def reset(self, dim):
        self.w = nn.Parameter(torch.randn(dim, dim) * 0.1)  # <- cause
        self.b = nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        return x * torch.sigmoid(x @ self.w + self.b)


net = nn.Sequential(nn.Linear(6, 8), Gate(8), nn.Linear(8, 2))
opt = torch.optim.Adam(net.parameters(), 1e-2)  # <- cause
net[1].reset(8)  # <- cause
x, y = torch.randn(30, 6), torch.randint(0, 2, (30,))
for _ in range(12):
    opt.zero_grad()
    nn.functional.cross_entropy(net(x), y).backward()
    opt.step()
