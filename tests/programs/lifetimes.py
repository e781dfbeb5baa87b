"""When tensors die: activations, losses, graphs, batches and gradients, in a function, in a loop, after an error."""

import gc
import weakref

import torch
from torch import nn


class Token:
    pass


def node(tensor):
    """A reference to the autograd node of a tensor, which dies with it."""
    if tensor.grad_fn is None:
        return lambda: None
    token = Token()
    tensor.grad_fn.metadata["token"] = token
    return weakref.ref(token)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 8), nn.Linear(8, 1)
        self.seen = []

    def forward(self, x):
        h = self.a(x).relu()
        self.seen = [weakref.ref(h), node(h)]
        return self.b(h * 2)


def tensors():
    gc.collect()
    # (an observer may keep small ones, with its measurements of the first steps)
    return sum(isinstance(o, torch.Tensor) and o.requires_grad for o in gc.get_objects())


def alive(refs):
    return [ref() is not None for ref in refs]


def train(model, optimizer, steps, fail=-1):
    refs = []
    for step in range(steps):
        print(step, alive(refs), alive(model.seen))
        x = torch.randn(16, 4)
        out = model(x)
        loss = (out - x.sum(1, keepdim=True)).square().mean()
        refs = [*(weakref.ref(t) for t in (x, out, loss)), node(loss)]
        print(alive(refs), alive(model.seen))
        optimizer.zero_grad()
        loss.backward()
        refs += [weakref.ref(p.grad) for p in model.parameters()]
        print(alive(refs), alive(model.seen))
        optimizer.step()
        del out
        print(alive(refs))
        if step == fail:
            model(x)(step)
        del x, loss
        print(alive(refs))


torch.manual_seed(1)
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
before = tensors()
train(model, optimizer, 4)
try:
    train(model, optimizer, 4, fail=2)
except TypeError as error:
    kept = error
print(alive(model.seen))
del kept
print(alive(model.seen))
try:
    (model(torch.randn(3, 4)).sum() + torch.randn(3, requires_grad=True)).backward()
except RuntimeError as error:
    print(str(error)[:50])
print(alive(model.seen))
for step in range(3):
    data = torch.randn(16, 4)
    shadow = data[:4].detach()
    number = shadow.clone().sum().item()
    with torch.no_grad():
        result = model(data)
    penalty = torch.autograd.grad(model(data).sum(), model.a.weight, create_graph=True)[0].square().sum()
    optimizer.zero_grad()
    penalty.backward()
    optimizer.step()
    print(alive(model.seen))
old = weakref.ref(model.a.weight)
model.a = nn.Linear(4, 8)
del optimizer
print(tensors() - before, old() is None)
