"""One encoder layer, four times."""
import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(80, 6), torch.randint(0, 3, (80,))


class Encoder(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.inp = nn.Linear(6, width)
        block = nn.Sequential(nn.Linear(width, width), nn.ReLU())
        self.blocks = nn.ModuleList([block] * depth)  # <- cause
        self.out = nn.Linear(width, 3)

    def forward(self, x):
        x = self.inp(x)
        for block in self.blocks:
            x = x + block(x)
        return self.out(x)


model = Encoder(16, 4)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(15):
    i = torch.randint(0, 80, (16,))
    opt.zero_grad()
    F.cross_entropy(model(x[i]), y[i]).backward()
    opt.step()
