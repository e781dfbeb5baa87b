"""Square metres and years go into a linear regression as they are: the loss explodes."""
import torch
import torch.nn as nn

torch.manual_seed(0)
area = 50 + 150 * torch.rand(100, 1)
year = 1950 + 70 * torch.rand(100, 1)
features = torch.cat([area, year], dim=1)  # <- cause
price = 2.0 * area + 0.1 * (year - 1950)
model = nn.Linear(2, 1)
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
for epoch in range(30):
    loss = criterion(model(features), price)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
