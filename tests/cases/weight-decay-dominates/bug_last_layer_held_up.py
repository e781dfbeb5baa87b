"""A decay that halves the first layer in ten steps, while the small last one is held up by its gradient."""

import torch
from torch import nn

torch.manual_seed(0)
hidden, out = nn.Linear(8, 32), nn.Linear(32, 1)
groups = [
    {"params": [hidden.weight, out.weight], "weight_decay": 1.0},
    {"params": [hidden.bias, out.bias], "weight_decay": 0.0},
]
optimizer = torch.optim.SGD(groups, lr=0.1)  # <- cause
for _ in range(12):
    x = torch.randn(64, 8)
    loss = nn.functional.mse_loss(out(torch.tanh(hidden(x))).squeeze(1), x[:, 0] - x[:, 1] * x[:, 2])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
