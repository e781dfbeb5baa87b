"""Two losses before a step; a second model that is trained with torch.autograd.grad; LBFGS with a closure."""

import torch
from torch import nn

torch.manual_seed(0)
model, other, third = nn.Linear(5, 2), nn.Linear(5, 1), nn.Linear(5, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
lbfgs = torch.optim.LBFGS(third.parameters(), max_iter=3)
x = torch.randn(32, 5)


def closure():
    lbfgs.zero_grad()
    loss = nn.functional.mse_loss(third(x), x.sum(1, keepdim=True))
    loss.backward()
    return loss


for step in range(15):
    optimizer.zero_grad()
    out = model(x)
    out[:, 0].pow(2).mean().backward(retain_graph=True)
    (out[:, 1] - 1).pow(2).mean().backward()
    optimizer.step()
    loss = nn.functional.mse_loss(other(x), x.sum(1, keepdim=True))
    grads = torch.autograd.grad(loss, list(other.parameters()))
    with torch.no_grad():
        for p, g in zip(other.parameters(), grads):
            p -= 0.05 * g
    lbfgs.step(closure)
