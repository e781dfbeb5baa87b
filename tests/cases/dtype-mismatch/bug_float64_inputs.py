"""Inputs come from NumPy, where numbers have 64 bits."""
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
table = np.random.default_rng(0).normal(size=(40, 6))


class Readings(torch.utils.data.Dataset):
    def __init__(self, rows):
        self.rows = torch.from_numpy(rows)  # <- cause

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i, :5], self.rows[i, 5:]


model = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in torch.utils.data.DataLoader(Readings(table), batch_size=8):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
