"""Adversarial examples are made in evaluation mode by a backward pass of their own."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(96, 6)
y = (x @ torch.randn(6, 3)).argmax(1)
model = nn.Sequential(nn.Linear(6, 24), nn.BatchNorm1d(24), nn.ReLU(), nn.Linear(24, 3))
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(3):
    for rows in torch.randperm(96).split(16):
        model.eval()
        xb = x[rows].clone().requires_grad_()
        nn.functional.cross_entropy(model(xb), y[rows]).backward()
        near = (xb + 0.05 * xb.grad.sign()).detach()
        model.train()
        opt.zero_grad()
        nn.functional.cross_entropy(model(near), y[rows]).backward()
        opt.step()
