"""The loss is divided by the number of batches, in five ways."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
K = 4


def to_loss(kind, out, y):
    loss = F.mse_loss(out, y)
    if kind == 0:
        return loss / K
    if kind == 1:
        return loss * (1 / K)
    if kind == 2:
        loss /= K
        return loss
    if kind == 3:
        return F.mse_loss(out, y, reduction="sum") / (K * len(out))
    return loss * torch.tensor(1.0 / K)


for kind in range(5):
    model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    for i in range(2 * K):
        x = torch.randn(8, 6)
        to_loss(kind, model(x), x.sum(1, keepdim=True)).backward()
        if (i + 1) % K == 0:
            optimizer.step()
            optimizer.zero_grad()
