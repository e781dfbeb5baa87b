"""zero_grad once an epoch, step for every batch."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(96, 6)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=24)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
for epoch in range(8):
    optimizer.zero_grad()  # <- cause
    for xb, yb in loader:
        loss = nn.functional.mse_loss(model(xb), yb)
        loss.backward()
        optimizer.step()
