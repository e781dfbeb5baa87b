"""One optimizer for each stage: the head first, then all."""

import torch
from torch import nn

torch.manual_seed(0)
body, head = nn.Linear(6, 16), nn.Linear(16, 1)
model = nn.Sequential(body, nn.Tanh(), head)
for params, lr in ((head.parameters(), 1e-2), (model.parameters(), 1e-3), (model.parameters(), 1e-4)):
    optimizer = torch.optim.Adam(params, lr=lr)
    for _ in range(5):
        x = torch.randn(16, 6)
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
        optimizer.step()
