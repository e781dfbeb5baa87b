"""Random Fourier features: a random projection that is fixed on purpose."""

import math

import torch
import torch.nn as nn

torch.manual_seed(0)


class Fourier(nn.Module):
    def __init__(self, n_in, n):
        super().__init__()
        self.register_buffer("B", torch.randn(n_in, n) * 3.0)

    def forward(self, x):
        x = 2 * math.pi * x @ self.B
        return torch.cat([torch.sin(x), torch.cos(x)], -1)


net = nn.Sequential(Fourier(2, 16), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), 1e-2)
x = torch.rand(100, 2)
for _ in range(12):
    loss = (net(x) - x.prod(1, keepdim=True)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
