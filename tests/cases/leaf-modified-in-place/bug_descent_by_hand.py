"""Gradient descent by hand, without no_grad around the update."""
import torch

torch.manual_seed(0)
x = torch.randn(40, 3)
y = x @ torch.tensor([[1.0], [-2.0], [0.5]])
weight = torch.zeros(3, 1, requires_grad=True)
for step in range(5):
    loss = (x @ weight - y).pow(2).mean()
    loss.backward()
    weight -= 0.1 * weight.grad  # <- cause
    weight.grad = None
