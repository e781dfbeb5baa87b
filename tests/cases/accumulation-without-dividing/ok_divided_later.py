"""The gradients are divided before the step."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
K = 4
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
for i in range(12 * K):
    x = torch.randn(8, 6)
    F.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    if (i + 1) % K == 0:
        for p in model.parameters():
            p.grad /= K
        optimizer.step()
        optimizer.zero_grad()
