import torch
from torch import nn

model = nn.Linear(4, 1)
params = list(model.parameters())
optimizer = torch.optim.Adam(params, lr=1e-3)
for x, y in loader:
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    torch.nn.utils.clip_grad_norm_(params, 1.0)  # <- cause
    optimizer.step()
