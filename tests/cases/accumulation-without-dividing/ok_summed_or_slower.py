"""Sums over the samples; and a learning rate that is divided instead of the loss."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
K = 4
for rate, reduction in ((1e-3, "sum"), (0.02, "mean")):
    model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=rate / K)
    criterion = nn.MSELoss(reduction=reduction)
    for i in range(6 * K):
        x = torch.randn(8, 6)
        loss = criterion(model(x), x.sum(1, keepdim=True))
        loss.backward()
        if (i + 1) % K == 0:
            optimizer.step()
            optimizer.zero_grad()
