"""A `continue` in front of the step; a GradScaler; two terms in the loss."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
for i in range(48):
    x = torch.randn(8, 6)
    out = model(x)
    loss = F.mse_loss(out, x.sum(1, keepdim=True)) + 0.01 * out.abs().mean()  # <- cause
    scaler.scale(loss).backward()  # <- cause
    if (i + 1) % 4 != 0:
        continue
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()
