"""A regression whose rows are sorted by the target."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(400, 5)
y = (x @ torch.randn(5, 1)) + 0.1 * torch.randn(400, 1)
order = y.squeeze(1).argsort()
loader = DataLoader(TensorDataset(x[order], y[order]), batch_size=20)  # <- cause
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(3):
    for xb, yb in loader:
        loss = nn.functional.mse_loss(model(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
