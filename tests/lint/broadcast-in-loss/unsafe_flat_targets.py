import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

x = torch.randn(512, 8)
y = x[:, 0] - x[:, 1]
loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 32), nn.ReLU())
        self.out = nn.Linear(32, 1)

    def forward(self, x):
        return self.out(self.body(x))


model = Regressor()
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters())
for xb, yb in loader:
    optimizer.zero_grad()
    loss = criterion(model(xb).squeeze(1), yb)  # <- cause
    loss.backward()
    optimizer.step()
