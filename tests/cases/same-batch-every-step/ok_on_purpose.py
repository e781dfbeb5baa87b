"""One batch before the loop; all data at every step; a new random batch from a new iterator; a loader of one batch."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(120, 5)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)


def step(xb, yb):
    opt.zero_grad()
    nn.functional.cross_entropy(model(xb), yb).backward()
    opt.step()


xb, yb = next(iter(DataLoader(TensorDataset(x, y), batch_size=10)))
for _ in range(3):
    step(xb, yb)
for epoch in range(3):
    step(x[:100], y[:100])
shuffled = DataLoader(TensorDataset(x, y), batch_size=10, shuffle=True)
for _ in range(3):
    step(*next(iter(shuffled)))
