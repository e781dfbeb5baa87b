import torch
from torch import nn

model = nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
model.train  # <- cause
for x, y in loader:
    optimizer.zero_grad  # <- cause
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step  # <- cause
model.eval  # <- cause
