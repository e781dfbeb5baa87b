"""A gradient penalty: the critic is given the real points, the gradient is asked for the mixed ones."""
import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for step in range(3):
    real, fake = torch.randn(32, 2), torch.rand(32, 2)
    mixed = (0.5 * real + 0.5 * fake).requires_grad_()
    scores = critic(real)
    slope = torch.autograd.grad(scores.sum(), mixed, create_graph=True)[0]  # <- cause
    loss = critic(fake).mean() - scores.mean() + (slope.norm(dim=1) - 1).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
