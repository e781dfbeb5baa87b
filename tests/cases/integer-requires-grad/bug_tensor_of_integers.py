"""Coefficients are written as integers, and the tensor of them is to be trained."""
import torch

x = torch.linspace(-1, 1, 50)
y = 3 * x**2 + 1
coefficients = torch.tensor([1, 0, 2], requires_grad=True)  # <- cause
optimizer = torch.optim.SGD([coefficients], lr=0.1)
