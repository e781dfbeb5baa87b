"""The same loop, cleared in six ways."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
same = torch.optim.SGD(model.parameters(), lr=0.02)


def to_none():
    for p in model.parameters():
        p.grad = None


def to_zero():
    for p in model.parameters():
        if p.grad is not None:
            p.grad.detach_()
            p.grad.zero_()


def fill():
    torch._foreach_zero_([p.grad for p in model.parameters() if p.grad is not None])


def times_zero():
    for p in model.parameters():
        if p.grad is not None:
            p.grad.data *= 0


ways = [optimizer.zero_grad, same.zero_grad, lambda: model.zero_grad(set_to_none=False), to_none, to_zero, fill, times_zero]
for step in range(28):
    x = torch.randn(16, 6)
    ways[step % len(ways)]()
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    loss.backward()
    optimizer.step()
