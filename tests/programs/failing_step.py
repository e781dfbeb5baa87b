"""Exceptions out of optimizer.step, out of backward and out of a forward, caught, with training going on."""

import torch
from torch import nn


class Moody(torch.optim.SGD):
    calls = 0

    def step(self, closure=None):
        self.calls += 1
        if self.calls % 3 == 0:
            raise ValueError(f"not today ({self.calls})")
        return super().step(closure)


class Fails(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, fail):
        ctx.fail = fail
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        if ctx.fail:
            raise ArithmeticError("no gradient today")
        return grad, None


torch.manual_seed(1)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = Moody(model.parameters(), lr=0.05)
for step in range(12):
    x = torch.randn(16, 4)
    try:
        h = model(x if step != 4 else x[:, :3])
        loss = (Fails.apply(h, step == 7) - x.sum(1, keepdim=True)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item())
    except (ValueError, RuntimeError, ArithmeticError) as error:
        print(type(error).__name__, str(error).splitlines()[0])
