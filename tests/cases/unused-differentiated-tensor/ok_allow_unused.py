"""A gradient that may be absent is asked for with allow_unused, and a penalty of the right points."""
import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
for step in range(12):
    points = torch.randn(32, 2).requires_grad_()
    scores = critic(points)
    slope, none = torch.autograd.grad(scores.sum(), [points, critic[2].bias * 1], create_graph=True, allow_unused=True)
    assert none is None
    loss = scores.square().mean() + (slope.norm(dim=1) - 1).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
