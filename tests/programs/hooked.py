"""Hooks of every kind, and an optimizer that steps within backward as soon as a gradient is there."""

import torch
from torch import nn

torch.manual_seed(1)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
seen = []
model[0].register_forward_pre_hook(lambda module, args: (args[0] * 1.5,))
model[0].register_forward_hook(lambda module, args, out: out + 0.1)
model[1].register_full_backward_hook(lambda module, gin, gout: seen.append(gout[0].sum().item()))
model[2].register_full_backward_pre_hook(lambda module, gout: (gout[0] * 0.5,))
model[2].weight.register_hook(lambda grad: grad * 2)
optimizer = torch.optim.SGD(model[2].parameters(), lr=0.05)
optimizer.register_step_pre_hook(lambda *args: seen.append("before"))
optimizer.register_step_post_hook(lambda *args: seen.append("after"))
own = {p: torch.optim.SGD([p], lr=0.05) for p in model[0].parameters()}


def step_now(p):
    own[p].step()
    own[p].zero_grad()


for p in own:
    p.register_post_accumulate_grad_hook(step_now)
for step in range(8):
    x = torch.randn(16, 4)
    h = model(x)
    h.retain_grad()
    h.register_hook(lambda grad: seen.append(grad.norm().item()))
    loss = (h - x.sum(1, keepdim=True)).square().mean()
    loss.grad_fn.register_hook(lambda gin, gout: seen.append(len(gin)))
    loss.register_hook(lambda grad: seen.append(grad.item()))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item(), h.grad.sum().item())
print(seen)
