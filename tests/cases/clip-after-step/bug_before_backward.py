"""Clipping between zero_grad and backward: there is nothing to clip."""

import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
for _ in range(15):
    x = torch.randn(16, 6)
    loss = nn.functional.mse_loss(model(x), 5 * x.sum(1, keepdim=True))
    optimizer.zero_grad()
    clip_grad_norm_(model.parameters(), max_norm=1.0)  # <- cause
    loss.backward()
    optimizer.step()
