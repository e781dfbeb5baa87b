"""A tensor that requires grad is multiplied for its initialisation: the product is no leaf."""
import torch

torch.manual_seed(0)
weight = torch.randn(3, 1, requires_grad=True) * 0.01  # <- cause
bias = torch.zeros(1, requires_grad=True)
optimizer = torch.optim.SGD([weight, bias], lr=0.1)
for step in range(3):
    loss = (torch.randn(8, 3) @ weight + bias).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
