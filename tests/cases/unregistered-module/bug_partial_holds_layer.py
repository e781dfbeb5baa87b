"""functools.partial around a helper that takes the layer."""

import functools

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


def gated(layer, x):
    return torch.sigmoid(layer(x)) * x


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.gate = functools.partial(gated, nn.Linear(d, d))  # <- cause
        self.ff = nn.Linear(d, d)

    def forward(self, x):
        return self.ff(self.gate(x))


def train():
    net = nn.Sequential(Block(8), nn.ReLU(), nn.Linear(8, 3))
    opt = torch.optim.SGD(net.parameters(), 0.1)
    x, y = torch.randn(30, 8), torch.randint(0, 3, (30,))
    for _ in range(12):
        loss = F.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()


train()
