"""The old log-probabilities were stored as a column, the new ones are flat."""
import torch
import torch.nn as nn
from torch.distributions import Normal

torch.manual_seed(0)
mean = nn.Linear(5, 1)
log_std = nn.Parameter(torch.zeros(1))
optimizer = torch.optim.Adam([*mean.parameters(), log_std], lr=3e-4)
obs = torch.randn(40, 5)
with torch.no_grad():
    action = Normal(mean(obs), log_std.exp()).sample()
    old = Normal(mean(obs), log_std.exp()).log_prob(action)
advantage = torch.randn(40, 1)
for step in range(12):
    new = Normal(mean(obs), log_std.exp()).log_prob(action).sum(-1)
    ratio = torch.exp(new - old)  # <- cause
    clipped = torch.clamp(ratio, 0.8, 1.2)
    loss = -torch.min(ratio * advantage, clipped * advantage).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
