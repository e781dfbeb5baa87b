"""Only measured: a limit that nothing ever reaches, after the step."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(15):
    x = torch.randn(16, 6)
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
    norm = float(nn.utils.clip_grad_norm_(model.parameters(), 1e9))
