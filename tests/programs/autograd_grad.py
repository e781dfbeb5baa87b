"""Training without backward: torch.autograd.grad, gradients assigned or applied by hand, and a MAML inner loop."""

import torch
from torch import nn

torch.manual_seed(1)
model = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
params = list(model.parameters())
optimizer = torch.optim.Adam(params, lr=0.02)
for step in range(6):
    x = torch.randn(16, 3)
    loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
    for p, g in zip(params, torch.autograd.grad(loss, params)):
        p.grad = g
    optimizer.step()
    print(loss.item())

w = torch.randn(3, 1, requires_grad=True)
meta = torch.optim.SGD([w], lr=0.05)
for step in range(6):
    task = torch.randn(3, 1)
    x = torch.randn(16, 3)
    inner = (x @ w - x @ task).square().mean()
    (g,) = torch.autograd.grad(inner, w, create_graph=True)
    fast = w - 0.1 * g
    outer = (x @ fast - x @ task).square().mean()
    meta.zero_grad()
    outer.backward()
    meta.step()
    print(inner.item(), outer.item())
