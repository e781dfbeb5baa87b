"""Scores to be scaled to 0 .. 1, with // in the place of /."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(1000, 6)
score = 2 * x[:, 0] + x[:, 2]
y = ((score - score.min()) // (score.max() - score.min() + 1)).unsqueeze(1)  # <- cause
model = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for _ in range(12):
    i = torch.randint(0, 1000, (64,))
    loss = nn.functional.mse_loss(model(x[i]), y[i])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
