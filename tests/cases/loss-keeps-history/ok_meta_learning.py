"""MAML: the outer loss goes back through the inner steps of this iteration, and the losses of all tasks are added up."""

import torch
import torch.nn.functional as F

torch.manual_seed(0)
w = torch.randn(4, 1, requires_grad=True)
optimizer = torch.optim.Adam([w], lr=1e-2)
for step in range(14):
    outer = 0.0
    for task in range(3):
        true = torch.randn(4, 1)
        fast = w
        for inner in range(2):
            x = torch.randn(16, 4)
            (g,) = torch.autograd.grad(F.mse_loss(x @ fast, x @ true), fast, create_graph=True)
            fast = fast - 0.1 * g
        x = torch.randn(16, 4)
        outer = outer + F.mse_loss(x @ fast, x @ true)
    optimizer.zero_grad()
    outer.backward()
    optimizer.step()
