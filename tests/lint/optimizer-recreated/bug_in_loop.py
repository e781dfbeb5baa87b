import torch
from torch import nn

model = nn.Linear(4, 1)
for epoch in range(10):
    for x, y in loader:
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)  # <- cause
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
