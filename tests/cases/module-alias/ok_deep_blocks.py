"""Layers made anew, by comprehension, by deepcopy, and by a loop."""
import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(80, 6), torch.randint(0, 3, (80,))


def clones(layer, n):
    return nn.ModuleList([copy.deepcopy(layer) for _ in range(n)])


class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = clones(nn.Linear(6, 6), 3)
        self.b = nn.ModuleList([nn.Linear(6, 6) for _ in range(3)])
        layers = []
        for _ in range(2):
            layer = nn.Linear(6, 6)
            layers.append(layer)
        self.c = nn.Sequential(*layers)
        self.act = nn.Sequential(*[nn.ReLU()] * 2)
        self.head = nn.Linear(6, 3)

    def forward(self, x):
        for layer in [*self.a, *self.b]:
            x = x + self.act(layer(x))
        return self.head(self.c(x))


model = Deep()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(12):
    i = torch.randint(0, 80, (16,))
    opt.zero_grad()
    F.cross_entropy(model(x[i]), y[i]).backward()
    opt.step()
