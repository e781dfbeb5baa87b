"""Warm-up with integer division: step // warmup is 0 for every step of the warm-up, and it is very long."""

import torch
import torch.nn as nn

torch.manual_seed(0)


def build(model, warmup):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1, step // warmup))  # <- cause
    return optimizer, scheduler


net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer, scheduler = build(net, 4000)
x = torch.randn(32, 4)
for _ in range(14):
    loss = (net(x) - x[:, :1]).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()  # <- cause
