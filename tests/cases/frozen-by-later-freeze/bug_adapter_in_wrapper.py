"""A wrapper adds bottleneck adapters in its constructor and freezes everything afterwards."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class Adapter(nn.Module):
    def __init__(self, dim, r):
        super().__init__()
        self.down, self.up = nn.Linear(dim, r), nn.Linear(r, dim)
        nn.init.zeros_(self.up.weight)

    def forward(self, x):
        return x + self.up(torch.relu(self.down(x)))


class Adapted(nn.Module):
    def __init__(self, base, dim, classes):
        super().__init__()
        self.base = base
        self.adapters = nn.ModuleList(Adapter(dim, 4) for _ in base)
        self.requires_grad_(False)  # <- cause
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        for layer, adapter in zip(self.base, self.adapters):
            x = adapter(torch.tanh(layer(x)))
        return self.head(x)


base = nn.ModuleList(nn.Linear(8, 8) for _ in range(2))
model = Adapted(base, 8, 3)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
x = torch.randn(48, 8)
y = x.argmax(1) % 3
for step in range(12):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
