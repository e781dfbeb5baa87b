"""One order for both, the same seed before each, a list of indices, and two loaders that agree."""
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(200, 6)
y = (x[:, 0] * x[:, 1] > 0).long()
order = torch.randperm(200)
x, y = x[order], y[order]
torch.manual_seed(1)
x = x[torch.randperm(200)]
torch.manual_seed(1)
y = y[torch.randperm(200)]
index = np.arange(200)
np.random.shuffle(index)
x, y = x[torch.from_numpy(index)], y[torch.from_numpy(index)]
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)


def train(xb, yb):
    opt.zero_grad()
    nn.functional.cross_entropy(model(xb), yb).backward()
    opt.step()


for epoch in range(2):
    perm = torch.randperm(200)
    for i in range(0, 200, 50):
        train(x[perm[i : i + 50]], y[perm[i : i + 50]])
xs = DataLoader(x, batch_size=40, shuffle=True, generator=torch.Generator().manual_seed(3))
ys = DataLoader(y, batch_size=40, shuffle=True, generator=torch.Generator().manual_seed(3))
for xb, yb in zip(xs, ys):
    train(xb, yb)
for xb, yb in zip(DataLoader(x, batch_size=40), DataLoader(y, batch_size=40)):
    train(xb, yb)
