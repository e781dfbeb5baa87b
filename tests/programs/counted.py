"""Tools that look at the computation themselves: a flop counter, jacobians, forward mode, fake tensors, make_fx."""

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.autograd import forward_ad
from torch.autograd.functional import hvp, jacobian
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils.flop_counter import FlopCounterMode

torch.manual_seed(1)
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
with FakeTensorMode():
    fake = nn.Linear(4, 4)(torch.empty(2, 4))
    print(type(fake).__name__, tuple(fake.shape))
graph = make_fx(lambda x: torch.tanh(x).sum())(torch.randn(3))
print([node.name for node in graph.graph.nodes])
for step in range(6):
    x = torch.randn(16, 4)
    with FlopCounterMode(display=False) as counter:
        loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item(), counter.get_total_flops())
j = jacobian(model, x[:2])
_, h = hvp(lambda v: model(v).sum(), x[:2], torch.ones(2, 4))
with forward_ad.dual_level():
    tangent = forward_ad.unpack_dual(model(forward_ad.make_dual(x, torch.ones_like(x)))).tangent
print(j.sum().item(), h.sum().item(), tangent.sum().item())
