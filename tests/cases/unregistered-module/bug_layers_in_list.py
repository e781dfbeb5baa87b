"""A stack of residual blocks is kept in a Python list, filled by a helper method."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class Tower(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.inp = nn.Linear(6, width)
        self.blocks = []  # <- cause
        self._grow(width, depth)
        self.out = nn.Linear(width, 1)

    def _grow(self, width, depth):
        for _ in range(depth):
            block = nn.Sequential(nn.Linear(width, width), nn.Tanh())
            self.blocks.append(block)  # <- cause

    def forward(self, x):
        h = self.inp(x)
        for block in self.blocks:
            h = h + block(h)
        return self.out(h)


def main():
    x = torch.randn(64, 6)
    y = x.prod(1, keepdim=True)
    net = Tower(12, 3)
    opt = torch.optim.AdamW(net.parameters(), lr=1e-2)
    for _ in range(12):
        loss = nn.functional.smooth_l1_loss(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"{loss.item():.3f}")


main()
