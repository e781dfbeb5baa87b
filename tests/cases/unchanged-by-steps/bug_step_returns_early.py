"""An optimizer of one's own whose step leaves before the update when no closure is given."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class MySGD(torch.optim.Optimizer):
    def __init__(self, params, lr):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self, closure=None):
        if closure is None:
            return None
        for group in self.param_groups:
            for p in group["params"]:
                p.add_(p.grad, alpha=-group["lr"])


net = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 1))
opt = MySGD(net.parameters(), lr=0.1)  # <- cause
x = torch.randn(30, 5)
for _ in range(12):
    loss = (net(x) - x[:, :1]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
