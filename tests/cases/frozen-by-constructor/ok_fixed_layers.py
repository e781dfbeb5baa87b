"""Layers that are fixed by design: a DFL convolution, a blur kernel, frozen BatchNorm, a sinusoidal embedding."""

import math

import torch
import torch.nn as nn

torch.manual_seed(0)


class DFL(nn.Module):
    def __init__(self, bins=8):
        super().__init__()
        self.conv = nn.Conv2d(bins, 1, 1, bias=False).requires_grad_(False)
        self.conv.weight.data[:] = torch.arange(bins, dtype=torch.float).view(1, bins, 1, 1)
        self.bins = bins

    def forward(self, x):
        b, _, a = x.shape
        return self.conv(x.view(b, 4, self.bins, a).transpose(2, 1).softmax(1)).view(b, 4, a)


class Sinusoid(nn.Embedding):
    def __init__(self, n, dim):
        super().__init__(n, dim)
        pos = torch.arange(n).unsqueeze(1) / 1e4 ** (torch.arange(0, dim, 2) / dim)
        with torch.no_grad():
            self.weight.copy_(torch.cat([pos.sin(), pos.cos()], 1))
        self.weight.requires_grad = False


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv1d(3, 32, 1)
        self.pos = Sinusoid(7, 32)
        self.out = nn.Conv1d(32, 32, 1)
        self.dfl = DFL()

    def forward(self, x):
        h = self.stem(x) + self.pos(torch.arange(7)).t()
        return self.dfl(self.out(torch.relu(h)))


net = Detector()
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
x, boxes = torch.randn(8, 3, 7), torch.rand(8, 4, 7) * 7
for _ in range(12):
    loss = nn.functional.l1_loss(net(x), boxes)
    opt.zero_grad()
    loss.backward()
    opt.step()
