"""PPO with one ratio for the whole batch."""
import torch
import torch.nn as nn
from torch.distributions import Normal

torch.manual_seed(0)
mean, log_std = nn.Linear(4, 1), nn.Parameter(torch.zeros(1))
optimizer = torch.optim.Adam([*mean.parameters(), log_std], lr=1e-3)
obs, action, old, advantage = torch.randn(32, 4), torch.randn(32), torch.randn(32) * 0.1 - 1.4, torch.randn(32)
for step in range(12):
    new = Normal(mean(obs).squeeze(1), log_std.exp()).log_prob(action)
    ratio = torch.exp(new.mean() - old.mean())  # <- cause
    loss = -torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
