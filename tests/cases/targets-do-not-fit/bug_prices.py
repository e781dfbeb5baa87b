"""House prices as they are, and Adam with its usual learning rate."""
import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.MSELoss()
for step in range(15):
    x = torch.randn(32, 6)
    price = 250_000 + 60_000 * x[:, :1]
    loss = criterion(model(x), price)  # <- cause
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
