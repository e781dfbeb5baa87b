"""Four samples a step and outliers among the targets: the loss jumps, and falls in the long run."""

import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(256, 8)
y = x[:, :1] + (torch.rand(256, 1) < 0.05) * 10
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(15):
    i = torch.randint(0, 256, (4,))
    loss = nn.functional.mse_loss(model(x[i]), y[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
