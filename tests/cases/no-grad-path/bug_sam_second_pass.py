"""SAM-like optimizer: decorated with no_grad, calls its closure without enable_grad."""
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
        norm = torch.stack([p.grad.norm() for g in self.param_groups for p in g["params"] if p.grad is not None] or [torch.ones(())]).norm()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                self.state[p]["old"] = p.clone()
                p.add_(p.grad * group["rho"] / (norm + 1e-12))

    @torch.no_grad()
    def second_step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if "old" in self.state[p]:
                    p.copy_(self.state[p]["old"])
        self.base.step()

    @torch.no_grad()  # <- cause
    def step(self, closure):
        closure()  # <- cause
        self.first_step()
        closure()  # <- cause
        self.second_step()


model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = SAM(model.parameters(), torch.optim.SGD, lr=0.1, momentum=0.9)
x, y = torch.randn(64, 4), torch.randint(0, 3, (64,))


def closure():
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    if loss.grad_fn is not None:
        loss.backward()
    return loss


for step in range(20):
    optimizer.step(closure)
