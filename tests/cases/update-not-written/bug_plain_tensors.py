"""Linear regression from scratch: `w = w - lr * w.grad` makes a new tensor."""

import torch

torch.manual_seed(0)
x = torch.randn(50, 3)
y = x @ torch.tensor([1.0, -2.0, 0.5]) + 0.3


def sgd_step(w, b, lr):
    with torch.no_grad():
        w = w - lr * w.grad  # <- cause
        b = b - lr * b.grad  # <- cause


w = torch.randn(3, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for epoch in range(40):
    loss = ((x @ w + b - y) ** 2).mean()
    loss.backward()
    sgd_step(w, b, 0.1)
    w.grad.zero_()
    b.grad.zero_()
