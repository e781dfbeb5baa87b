"""Missing readings are NaN in the table, and nothing takes them out."""
import torch
from torch import nn

torch.manual_seed(0)


def read():
    rows = [[0.1 * i, 0.2, float("nan") if i == 5 else 0.3] for i in range(16)]
    return torch.tensor(rows)  # <- cause


table = read()
model = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(5):
    loss = (model(table[:, :2]) - table[:, 2:]).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
