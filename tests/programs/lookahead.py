"""Wrapper optimizers: Lookahead without super().__init__, and SAM, which steps twice and moves the weights between."""

import torch
from torch import nn


class Lookahead(torch.optim.Optimizer):
    def __init__(self, base, k=3, alpha=0.5):
        self.base, self.k, self.alpha, self.count = base, k, alpha, 0
        self.param_groups = base.param_groups
        self.slow = [[p.detach().clone() for p in g["params"]] for g in self.param_groups]

    def zero_grad(self, set_to_none=True):
        self.base.zero_grad(set_to_none)

    def step(self, closure=None):
        loss = self.base.step(closure)
        self.count += 1
        if self.count % self.k == 0:
            for group, slow in zip(self.param_groups, self.slow):
                for p, q in zip(group["params"], slow):
                    q.add_(p.detach() - q, alpha=self.alpha)
                    p.data.copy_(q)
        return loss


class SAM(torch.optim.Optimizer):
    def __init__(self, params, base, rho=0.05, **kwargs):
        super().__init__(params, dict(rho=rho, **kwargs))
        self.base = base(self.param_groups, **kwargs)
        self.param_groups = self.base.param_groups

    @torch.no_grad()
    def first_step(self):
        grads = [p.grad for g in self.param_groups for p in g["params"] if p.grad is not None]
        norm = torch.stack([g.norm() for g in grads]).norm()
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["old"] = p.data.clone()
                p.add_(p.grad * (group["rho"] / (norm + 1e-12)))
        self.zero_grad()

    @torch.no_grad()
    def second_step(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.data = self.state[p]["old"]
        self.base.step()
        self.zero_grad()


torch.manual_seed(1)
net, other = nn.Linear(4, 2), nn.Linear(4, 2)
lookahead = Lookahead(torch.optim.Adam(net.parameters(), lr=0.02))
sam = SAM(other.parameters(), torch.optim.SGD, lr=0.1, momentum=0.9)
x = torch.randn(32, 4)
y = (x[:, 0] > 0).long()
for step in range(9):
    loss = nn.functional.cross_entropy(net(x), y)
    lookahead.zero_grad()
    loss.backward()
    lookahead.step()
    first = nn.functional.cross_entropy(other(x), y)
    first.backward()
    sam.first_step()
    nn.functional.cross_entropy(other(x), y).backward()
    sam.second_step()
    print(loss.item(), first.item())
