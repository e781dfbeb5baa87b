"""A lazily built mixing matrix is re-created at every call by a helper that uses setattr."""

import torch
import torch.nn as nn

torch.manual_seed(0)


def attach(module, name, *shape):
    setattr(module, name, nn.Parameter(torch.randn(*shape) * 0.1))  # <- cause


class Mixer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.mix = None

    def forward(self, x):
        attach(self, "mix", x.shape[1], x.shape[1])  # <- cause
        return x + self.mix @ self.norm(x)


net = nn.Sequential(nn.Linear(3, 8), Mixer(8), nn.Linear(8, 1))
net(torch.randn(2, 5, 3))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x = torch.randn(12, 5, 3)
for _ in range(12):
    loss = (net(x) - x.cumsum(1).sum(-1, keepdim=True)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
