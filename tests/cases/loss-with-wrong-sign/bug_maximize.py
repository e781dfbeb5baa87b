"""An optimizer that maximises, with an ordinary loss from a loader."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train(model, loader):
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3, maximize=True)  # <- cause
    criterion = nn.MSELoss()
    for x, y in loader:
        opt.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        opt.step()
    return loss.item()


torch.manual_seed(0)
x = torch.randn(256, 6)
data = TensorDataset(x, x.sum(1, keepdim=True))
print(train(nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1)), DataLoader(data, 16, shuffle=True)))
