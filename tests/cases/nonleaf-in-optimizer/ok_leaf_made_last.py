"""The numbers are worked out first, and the result is made a leaf."""
import torch

torch.manual_seed(0)
weight = (torch.randn(3, 1) * 0.01).requires_grad_()
bias = torch.zeros(1).to(torch.float32).requires_grad_()
optimizer = torch.optim.SGD([weight, bias], lr=0.1)
x = torch.randn(32, 3)
for step in range(12):
    loss = (x @ weight + bias - x.sum(1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
