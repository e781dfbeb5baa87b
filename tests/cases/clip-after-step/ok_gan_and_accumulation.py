"""Clipping a critic's weights after its step (not its gradients); accumulation that clips once, at the step."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
for i in range(40):
    x = torch.randn(16, 6)
    (nn.functional.mse_loss(model(x), 5 * x.sum(1, keepdim=True)) / 4).backward()
    if (i + 1) % 4 == 0:
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        with torch.no_grad():
            for p in model.parameters():
                p.clamp_(-0.5, 0.5)
