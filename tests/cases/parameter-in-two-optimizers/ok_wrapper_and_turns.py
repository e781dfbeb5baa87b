"""An optimizer that steps through another one; and two that take turns."""

import torch
from torch import nn


class Lookahead(torch.optim.Optimizer):
    def __init__(self, base):
        self.base = base
        super().__init__([p for g in base.param_groups for p in g["params"]], {"lr": 0.0})
        self.slow = [p.detach().clone() for g in base.param_groups for p in g["params"]]
        self.count = 0

    @torch.no_grad()
    def step(self, closure=None):
        self.base.step()
        self.count += 1
        if self.count % 4 == 0:
            for p, slow in zip([p for g in self.param_groups for p in g["params"]], self.slow):
                slow += 0.5 * (p - slow)
                p.copy_(slow)


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = Lookahead(torch.optim.Adam(model.parameters(), lr=1e-3))
other = nn.Linear(6, 1)
turns = [torch.optim.Adam(other.parameters(), lr=1e-3), torch.optim.SGD(other.parameters(), lr=1e-2)]
for step in range(20):
    x = torch.randn(16, 6)
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), x.sum(1, keepdim=True)).backward()
    optimizer.step()
    turns[step % 2].zero_grad()
    nn.functional.mse_loss(other(x), x.sum(1, keepdim=True)).backward()
    turns[step % 2].step()
