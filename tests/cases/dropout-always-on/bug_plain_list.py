"""Dropout layers in a plain list: eval() does not find them."""

import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(8, 16), nn.Linear(16, 16)])
        self.drops = [nn.Dropout(0.2) for _ in range(2)]  # <- cause
        self.out = nn.Linear(16, 3)

    def forward(self, x):
        for layer, drop in zip(self.layers, self.drops, strict=True):
            x = drop(F.relu(layer(x)))
        return self.out(x)


torch.manual_seed(0)
x, y = torch.randn(48, 8), torch.randint(0, 3, (48,))
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(4):
    model.train()
    for i in range(0, 48, 12):
        optimizer.zero_grad()
        F.cross_entropy(model(x[i : i + 12]), y[i : i + 12]).backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        print(epoch, F.cross_entropy(model(x), y).item())
