"""Blocks in an nn.ModuleList, and a plain list that only refers to them once more."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class Tower(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.inp = nn.Linear(6, width)
        self.blocks = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.first_half = list(self.blocks)[: depth // 2]
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        h = self.inp(x)
        for block in self.blocks:
            h = h + torch.tanh(block(h))
        return self.out(h)


x = torch.randn(64, 6)
y = x.prod(1, keepdim=True)
net = Tower(12, 4)
opt = torch.optim.AdamW(net.parameters(), lr=1e-2)
for _ in range(12):
    loss = nn.functional.smooth_l1_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
