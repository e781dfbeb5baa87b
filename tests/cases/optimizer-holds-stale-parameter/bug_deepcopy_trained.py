"""The optimizer is built over the model, but a deep copy of it is trained."""

import copy

import torch
import torch.nn as nn

torch.manual_seed(0)


def fit(model, optimizer, x, y, steps):
    best = copy.deepcopy(model)  # <- cause
    for _ in range(steps):
        loss = nn.functional.mse_loss(best(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return best


net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.05)  # <- cause
x = torch.randn(32, 4)
fit(net, opt, x, x[:, :1] * x[:, 1:2], 14)
