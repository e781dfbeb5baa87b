import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

x = torch.randn(512, 8)
y = x[:, 0] - x[:, 1]
loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
columns = DataLoader(TensorDataset(x, y.unsqueeze(1)), batch_size=32, shuffle=True)
single = DataLoader(TensorDataset(x, y), batch_size=None)

model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters())
for xb, yb in loader:
    optimizer.zero_grad()
    (criterion(model(xb).squeeze(1), yb) + criterion(model(xb)[:, 0], yb)).backward()
    optimizer.step()

for xb, yb in columns:
    optimizer.zero_grad()
    (criterion(model(xb), yb) + criterion(model(xb), torch.ones(1))).backward()
    optimizer.step()

for xb, yb in single:
    optimizer.zero_grad()
    criterion(model(xb), yb).backward()
    optimizer.step()

many = nn.Linear(8, 5)
second = torch.optim.Adam(many.parameters())
for xb, yb in loader:
    second.zero_grad()
    (many(xb) - torch.zeros(5)).pow(2).mean().backward()
    second.step()
