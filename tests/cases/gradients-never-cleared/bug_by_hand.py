"""Gradient descent written by hand, without w.grad.zero_()."""

import torch

torch.manual_seed(0)
x = torch.randn(64, 3)
y = x @ torch.tensor([1.0, -2.0, 0.5]) + 0.3
w = torch.zeros(3, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for step in range(30):
    loss = ((x @ w + b - y) ** 2).mean()
    loss.backward()  # <- cause
    with torch.no_grad():
        w -= 0.05 * w.grad
        b -= 0.05 * b.grad
