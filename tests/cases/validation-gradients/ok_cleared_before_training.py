"""Backward runs in the validation, too (for the norm of the gradient), and all is cleared before the next pass."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(96, 6)
y = (x @ torch.randn(6, 3)).argmax(1)
model = nn.Sequential(nn.Linear(6, 24), nn.Dropout(0.1), nn.Tanh(), nn.Linear(24, 3))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(10):
    model.train()
    for rows in torch.randperm(64).split(16):
        opt.zero_grad()
        nn.functional.cross_entropy(model(x[32:][rows]), y[32:][rows]).backward()
        opt.step()
    model.eval()
    model.zero_grad()
    nn.functional.cross_entropy(model(x[:32]), y[:32]).backward()
    print(sum(p.grad.norm().item() for p in model.parameters()))
