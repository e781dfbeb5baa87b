"""The loop trains a model that was put into evaluation mode, instead of training mode, at the start."""

import torch
from torch import nn

torch.manual_seed(0)
x, y = 4 * torch.randn(64, 6) + 2, torch.randn(64, 1)
model = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.5), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
model.eval()  # <- cause
for _ in range(12):
    optimizer.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
print(loss.item())
