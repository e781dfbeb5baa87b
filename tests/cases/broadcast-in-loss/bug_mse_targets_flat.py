"""A regression on targets from a TensorDataset: the output is [N, 1], the target [N]."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(256, 6)
y = x[:, 0] * 2 - x[:, 1]
loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, x):
        return self.net(x)


def train_one_epoch(model, loader, optimizer, criterion):
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)  # <- cause
        loss.backward()
        optimizer.step()


model = Regressor()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(2):
    train_one_epoch(model, loader, optimizer, nn.MSELoss())
