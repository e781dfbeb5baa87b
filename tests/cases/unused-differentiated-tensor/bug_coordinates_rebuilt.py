"""A network of a physical law: the coordinates are stacked anew from numbers, so that the field does not depend on them."""
import torch
from torch import nn

torch.manual_seed(0)
field = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(field.parameters(), lr=1e-3)
x = torch.rand(20, 1, requires_grad=True)
t = torch.rand(20, 1, requires_grad=True)


def solution(x, t):
    points = torch.cat([x.detach(), t], dim=1)  # <- cause
    return field(points)


for step in range(3):
    u = solution(x, t)
    u_t = torch.autograd.grad(u.sum(), t, create_graph=True)[0]
    u_x = torch.autograd.grad(u.sum(), x, create_graph=True)[0]
    loss = (u_t + u * u_x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
