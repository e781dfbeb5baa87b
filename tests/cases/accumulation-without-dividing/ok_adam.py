"""Adam without clipping and without weight decay: a common factor cancels."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for i in range(64):
    x = torch.randn(8, 6)
    F.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    if i % 8 == 7:
        optimizer.step()
        optimizer.zero_grad()
