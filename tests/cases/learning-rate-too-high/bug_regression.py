"""A rate of 3 for a linear regression: the loss explodes."""

import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(256, 8)
y = x @ torch.randn(8, 1)
model = nn.Linear(8, 1)
opt = torch.optim.SGD(model.parameters(), lr=3.0)  # <- cause
for step in range(12):
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
