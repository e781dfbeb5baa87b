"""By hand, done right: in place under no_grad, through .data, and by rebinding global names to new leaves."""

import torch

torch.manual_seed(0)
x = torch.randn(50, 3)
y = x @ torch.tensor([1.0, -2.0, 0.5]) + 0.3
w = torch.randn(3, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
s = torch.ones(1, requires_grad=True)
for epoch in range(14):
    loss = (((x @ w + b) * s - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad.zero_()
    b.data = b.data - 0.1 * b.grad
    b.grad = None
    s = (s - 0.1 * s.grad).detach().requires_grad_()
