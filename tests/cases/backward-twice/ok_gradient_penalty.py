"""A penalty on the gradient, by autograd.grad with create_graph; an optimizer that minds no factor, and a loss twice."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(4, 16), nn.Softplus(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for step in range(12):
    x = torch.randn(32, 4, requires_grad=True)
    out = critic(x).mean()
    (gradient,) = torch.autograd.grad(out, x, create_graph=True)
    optimizer.zero_grad()
    (out + gradient.norm()).backward()
    optimizer.step()

model = nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(12):
    x = torch.randn(32, 4)
    loss = F.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    loss.backward()
    optimizer.step()
