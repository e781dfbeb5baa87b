"""Sorted data that are shuffled for training and evaluated in order; data shuffled before; a set of one batch."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
y = torch.arange(5).repeat_interleave(60)
x = torch.randn(5, 8)[y] + torch.randn(300, 8)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 5))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
order = torch.randperm(300)
training = [
    DataLoader(TensorDataset(x, y), batch_size=20, shuffle=True),
    DataLoader(TensorDataset(x[order], y[order]), batch_size=100),
    DataLoader(TensorDataset(x, y), batch_size=300),
]
test = DataLoader(TensorDataset(x, y), batch_size=20)
for loader in reversed(training):
    for xb, yb in loader:
        loss = nn.functional.cross_entropy(model(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        right = sum(int((model(a).argmax(1) == b).sum()) for a, b in test)
