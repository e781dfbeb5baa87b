# whygrad run --overfit
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(300, 6)
y = x[:, 0] - 2 * x[:, 3]
loader = DataLoader(TensorDataset(x, y), batch_size=50, shuffle=True)

model = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), 1e-2)
loss_fn = nn.MSELoss()


def train_step(a, b):
    optimizer.zero_grad()
    loss = loss_fn(model(a), b)  # <- cause
    loss.backward()
    optimizer.step()
    return loss.item()


for epoch in range(60):
    for a, b in loader:
        train_step(a, b)
