"""torch.func: functional_call, grad, vmap over an ensemble, and a jvp beside the training."""
# whygrad says: functional transforms (torch.func, vmap) are not followed inside

import torch
from torch import nn
from torch.func import functional_call, grad, grad_and_value, jvp, stack_module_state, vmap

torch.manual_seed(1)
model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
params = {name: p.detach().clone() for name, p in model.named_parameters()}
x = torch.randn(32, 3)
y = x.sum(1, keepdim=True).sin()


def loss_of(params, x, y):
    return (functional_call(model, params, (x,)) - y).square().mean()


for step in range(8):
    grads, loss = grad_and_value(loss_of)(params, x, y)
    params = {name: p - 0.1 * grads[name] for name, p in params.items()}
    print(loss.item())

each = vmap(grad(loss_of), in_dims=(None, 0, 0))(params, x[:, None], y[:, None])
print({name: g.norm().item() for name, g in each.items()})
print(jvp(model, (x,), (torch.ones_like(x),))[1].sum().item())

ensemble = [nn.Linear(3, 1) for _ in range(3)]
stacked, buffers = stack_module_state(ensemble)
optimizer = torch.optim.SGD(stacked.values(), lr=0.1)
for step in range(8):
    out = vmap(lambda p, b: functional_call(ensemble[0], (p, b), (x,)))(stacked, buffers)
    loss = (out - y).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
