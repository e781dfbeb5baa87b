"""Modules that break habits: unhashable, own __call__, own train(), requires_grad as property, weights set anew."""

import torch
from torch import nn


class Unhashable(nn.Linear):
    __hash__ = None

    def __eq__(self, other):
        return isinstance(other, Unhashable) and self.in_features == other.in_features


class OwnCall(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(8))

    def __call__(self, x, *more):
        return super().__call__(x * self.scale)

    def forward(self, x):
        return x + 0.1 * x.square()

    def train(self, mode=True, verbose=False):
        return super().train(mode)


class Trainable(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.shift = nn.Parameter(torch.zeros(n))

    @property
    def requires_grad(self):
        return self.shift.requires_grad

    @requires_grad.setter
    def requires_grad(self, value):
        self.shift.requires_grad_(value)

    def forward(self, x):
        return x + self.shift


class WeightDrop(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        raw = inner.weight
        del inner._parameters["weight"]
        inner.register_parameter("weight_raw", nn.Parameter(raw.data))

    def forward(self, x):
        self.inner.weight = nn.functional.dropout(self.inner.weight_raw, 0.2, self.training)
        return self.inner(x)


class Plain(nn.Module):
    """A plain tensor, not a leaf, within _parameters, as meta-learning libraries do it."""

    def __init__(self):
        super().__init__()
        self.seed = nn.Parameter(torch.full((1,), 0.5))
        self._parameters["gain"] = None

    def forward(self, x):
        self._parameters["gain"] = self.seed * 2
        return x * self.gain


torch.manual_seed(1)
model = nn.Sequential(nn.Linear(4, 8), OwnCall(), Trainable(8), WeightDrop(nn.Linear(8, 8)), Plain(), nn.Linear(8, 1))
model[2].requires_grad = False
model[2].requires_grad = True
odd = Unhashable(4, 1)
print(model[2].requires_grad, hasattr(model[0], "requires_grad"), odd == Unhashable(4, 2))
optimizer = torch.optim.Adam([*model.parameters(), odd.weight, odd.bias], lr=0.02)
for step in range(8):
    model.train(mode=True)
    x = torch.randn(16, 4)
    loss = (model(x) + odd(x) - x.sum(1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
model.eval()
print(model.forward(torch.ones(1, 4)).item())
