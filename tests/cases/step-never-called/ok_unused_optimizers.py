"""A dictionary of optimizers of which one is used, and the outer object of a SAM that only its base steps."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class SAM(torch.optim.Optimizer):
    def __init__(self, params, base, rho=0.05, **kwargs):
        super().__init__(params, dict(rho=rho, **kwargs))
        self.base = base(self.param_groups, **kwargs)
        self.param_groups = self.base.param_groups

    @torch.no_grad()
    def first_step(self):
        norm = torch.stack([p.grad.norm() for g in self.param_groups for p in g["params"]]).norm()
        for group in self.param_groups:
            for p in group["params"]:
                e = p.grad * group["rho"] / (norm + 1e-12)
                p.add_(e)
                self.state[p]["e"] = e
        self.zero_grad()

    @torch.no_grad()
    def second_step(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.sub_(self.state[p]["e"])
        self.base.step()
        self.zero_grad()


model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
others = {"adam": torch.optim.Adam(model.parameters()), "adagrad": torch.optim.Adagrad(model.parameters())}
opt = SAM(model.parameters(), torch.optim.SGD, lr=0.1, momentum=0.9)
x = torch.randn(40, 6)
y = (x[:, 0] > 0).long()
for _ in range(12):
    nn.functional.cross_entropy(model(x), y).backward()
    opt.first_step()
    nn.functional.cross_entropy(model(x), y).backward()
    opt.second_step()
