"""Weights of samples multiplied to a loss that is a mean already."""
import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
criterion = nn.MSELoss()  # <- cause
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(12):
    x = torch.randn(32, 5)
    y = x.sum(1, keepdim=True)
    weights = torch.rand(32, 1) + 0.1
    loss = criterion(model(x), y)
    loss = (loss * weights).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
