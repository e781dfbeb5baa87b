"""The first stage trains all, the second freezes the body; nothing ever switches a mode."""

import torch
from torch import nn

torch.manual_seed(0)
body = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU())
old, new = nn.Linear(16, 1), nn.Linear(16, 1)


def fit(head, parameters, shift, steps):
    optimizer = torch.optim.Adam(parameters, lr=1e-2)
    for _ in range(steps):
        x = torch.randn(32, 8) + shift
        optimizer.zero_grad()
        nn.functional.mse_loss(head(body(x)), x.abs().sum(1, keepdim=True)).backward()
        optimizer.step()


fit(old, [*body.parameters(), *old.parameters()], 0.0, 30)
body.requires_grad_(False)  # <- cause
fit(new, new.parameters(), 4.0, 15)
