"""A step within a step, an optimizer that steps a model handed to it, and one that is given a module as closure."""

import torch
from torch import nn


class Outer(torch.optim.Optimizer):
    def __init__(self, params, inner):
        super().__init__(params, {"lr": 0.01})
        self.inner = inner

    def step(self, closure=None):
        loss = self.inner.step(closure)
        with torch.no_grad():
            for group in self.param_groups:
                for p in group["params"]:
                    p.mul_(1 - group["lr"] * 0.1)
        return loss


class WithModel(torch.optim.SGD):
    """Its step takes the model, which is callable, and uses its attributes."""

    def step(self, model):
        for p in model.head.parameters():
            p.grad.mul_(0.5)
        return super().step()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(4, 8), nn.Linear(8, 1)

    def forward(self, x):
        return self.head(self.body(x).relu())


torch.manual_seed(1)
net, other = Net(), Net()
outer = Outer(net.parameters(), torch.optim.Adam(net.parameters(), lr=0.01))
taking = WithModel(other.parameters(), lr=0.05)
for step in range(8):
    x = torch.randn(16, 4)

    def closure():
        outer.zero_grad()
        loss = (net(x) - x.sum(1, keepdim=True)).square().mean()
        loss.backward()
        return loss

    a = outer.step(closure)
    b = (other(x) - x.prod(1, keepdim=True)).square().mean()
    taking.zero_grad()
    b.backward()
    taking.step(other)
    print(a.item(), b.item())
