"""REINFORCE with a baseline, and argmax only for the accuracy."""
import torch
import torch.nn as nn
from torch.distributions import Bernoulli, Normal

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 2))
log_std = nn.Parameter(torch.zeros(1))
opt = torch.optim.Adam([*policy.parameters(), log_std], lr=1e-2)
for step in range(20):
    x = torch.randn(32, 3)
    out = policy(x)
    flag = Bernoulli(logits=out[:, 0])
    move = Normal(out[:, 1], log_std.exp())
    f, m = flag.sample(), move.sample()
    reward = (f == (x[:, 0] > 0).float()).float() - (m - x[:, 1]).abs()
    loss = -((flag.log_prob(f) + move.log_prob(m)) * (reward - reward.mean())).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    accuracy = ((out[:, 0] > 0) == (x[:, 0] > 0)).float().mean().item()
