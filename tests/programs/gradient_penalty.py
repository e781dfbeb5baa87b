"""A WGAN critic with a gradient penalty: autograd.grad with create_graph, then backward through it."""

import torch
from torch import nn

torch.manual_seed(1)
critic = nn.Sequential(nn.Linear(2, 16), nn.Softplus(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-2)
for step in range(8):
    real, fake = torch.randn(16, 2) + 1, torch.randn(16, 2)
    mix = torch.rand(16, 1)
    between = (mix * real + (1 - mix) * fake).requires_grad_(True)
    (slope,) = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
    penalty = (slope.norm(dim=1) - 1).square().mean()
    loss = critic(fake).mean() - critic(real).mean() + 10 * penalty
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    print(loss.item(), penalty.item())
