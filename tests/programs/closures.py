"""Closures handed to Adam and SGD, as frameworks do; one of them is an object, one a partial, one a keyword."""

import functools

import torch


class Closure:
    def __init__(self, model, optimizer, x):
        self.model, self.optimizer, self.x, self.calls = model, optimizer, x, 0

    def __call__(self):
        self.calls += 1
        self.optimizer.zero_grad()
        loss = (self.model(self.x) - self.x.sum(1, keepdim=True)).square().mean()
        loss.backward()
        return loss


def run(model, optimizer, x, scale):
    with torch.enable_grad():
        loss = scale * (model(x) - x.sum(1, keepdim=True)).square().mean()
        optimizer.zero_grad()
        loss.backward()
    return loss


torch.manual_seed(1)
first, second = torch.nn.Linear(4, 1), torch.nn.Linear(4, 1)
adam = torch.optim.Adam(first.parameters(), lr=0.05)
sgd = torch.optim.SGD(second.parameters(), lr=0.05)
for step in range(8):
    x = torch.randn(16, 4)
    closure = Closure(first, adam, x)
    a = adam.step(closure)
    b = sgd.step(closure=functools.partial(run, second, sgd, x, 0.5))
    c = sgd.step(lambda x=x: run(second, sgd, x, 1.0))
    print(a.item(), b.item(), c.item(), closure.calls)
