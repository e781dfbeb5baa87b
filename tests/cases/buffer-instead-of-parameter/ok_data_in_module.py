"""Collocation points, target statistics, a deep-image-prior input and a fixed mask: random, and data."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class MaskedLinear(nn.Linear):
    def __init__(self, a, b):
        super().__init__(a, b)
        self.register_buffer("mask", (torch.rand(b, a) > 0.3).float())
        self.register_buffer("drop", torch.bernoulli(torch.full((b,), 0.8)))

    def forward(self, x):
        return nn.functional.linear(x, self.weight * self.mask, self.bias) * self.drop


class Pinn(nn.Module):
    def __init__(self, targets):
        super().__init__()
        self.points = torch.rand(50, 1)
        self.register_buffer("z", torch.randn(1, 4))
        self.register_buffer("mean", targets.mean())
        self.register_buffer("std", targets.std())
        self.net = nn.Sequential(MaskedLinear(1, 16), nn.Tanh(), nn.Linear(16, 1))
        self.prior = nn.Linear(4, 2)

    def forward(self, x):
        return self.net(x) * self.std + self.mean

    def residual(self):
        x = self.points.clone().requires_grad_()
        u = self.net(x)
        (du,) = torch.autograd.grad(u.sum(), x, create_graph=True)
        return (du - u).pow(2).mean() + (self.prior(self.z) - torch.tensor([1.0, 2.0])).pow(2).mean()


x = torch.rand(20, 1)
y = torch.exp(x)
model = Pinn(y)
opt = torch.optim.Adam(model.parameters(), 1e-2)
for _ in range(12):
    loss = model.residual() + (model(x) - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
