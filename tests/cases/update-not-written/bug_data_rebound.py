"""The update is made on `p.data` and bound to a name; momentum buffers are kept properly."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class MomentumSGD:
    def __init__(self, params, lr, beta=0.9):
        self.params, self.lr, self.beta = list(params), lr, beta
        self.velocity = [torch.zeros_like(p) for p in self.params]

    def step(self):
        for p, v in zip(self.params, self.velocity):
            v.mul_(self.beta).add_(p.grad)
            data = p.data - self.lr * v  # <- cause

    def zero_grad(self):
        for p in self.params:
            if p.grad is not None:
                p.grad.zero_()


net = nn.Sequential(nn.Linear(4, 10), nn.Tanh(), nn.Linear(10, 1))
opt = MomentumSGD(net.parameters(), lr=0.05)
x = torch.randn(40, 4)
for _ in range(40):
    opt.zero_grad()
    loss = (net(x) - x[:, :1] ** 2).pow(2).mean()
    loss.backward()
    opt.step()
