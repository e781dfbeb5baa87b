"""Scores capped at a large value, pooled after a ReLU, and Gaussian policies with a tanh for their mean."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
net, conv, mean = nn.Linear(6, 4), nn.Conv2d(1, 4, 3, padding=1), nn.Linear(6, 2)
log_std = nn.Parameter(torch.zeros(2))
opt = torch.optim.Adam([*net.parameters(), *conv.parameters(), *mean.parameters(), log_std], lr=1e-2)
for _ in range(12):
    x, y = torch.randn(32, 6), torch.randint(0, 4, (32,))
    loss = F.cross_entropy(30 * torch.tanh(net(x) / 30), y)
    pooled = F.adaptive_avg_pool2d(F.relu(conv(torch.randn(32, 1, 6, 6))), 1).flatten(1)
    loss = loss + F.cross_entropy(pooled, y)
    actions = torch.tensor((2 * torch.randn(32, 2)).tolist())
    dist = Normal(torch.tanh(mean(x)), log_std.exp())
    loss = loss - (dist.log_prob(actions).sum(1) * torch.randn(32)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
