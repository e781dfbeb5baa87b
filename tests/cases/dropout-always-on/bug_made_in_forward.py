"""A new Dropout in every forward pass is always in training mode."""

import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(8, 32), nn.Linear(32, 3)

    def forward(self, x):
        h = nn.Dropout(0.3)(torch.tanh(self.fc1(x)))  # <- cause
        return self.fc2(h)


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
