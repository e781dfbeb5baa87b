"""A sigmoid at the end of a regression whose targets go to 50."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(
    nn.Linear(8, 32),
    nn.ReLU(),
    nn.Linear(32, 1),
    nn.Sigmoid(),  # <- cause
)
criterion = nn.MSELoss()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(12):
    x = torch.rand(32, 8)
    y = 10 * x.sum(1, keepdim=True)
    loss = criterion(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
