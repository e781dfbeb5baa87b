import torch
from torch import nn

model = nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(10):
    optimizer.zero_grad()  # <- cause
    for x, y in loader:
        nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
