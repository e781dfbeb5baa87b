"""The critic is cleared right after its step: then the actor's loss fills it again."""

import torch
from torch import nn

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
critic = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
actor_opt = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_opt = torch.optim.Adam(critic.parameters(), lr=1e-3)
for step in range(20):
    state, action = torch.randn(32, 3), torch.randn(32, 1)
    reward = -((action - state[:, :1]) ** 2)
    critic_loss = nn.functional.mse_loss(critic(torch.cat([state, action], 1)), reward)
    critic_loss.backward()  # <- cause
    critic_opt.step()
    critic_opt.zero_grad()  # <- cause
    actor_loss = -critic(torch.cat([state, actor(state)], 1)).mean()
    actor_loss.backward()  # <- cause
    actor_opt.step()
    actor_opt.zero_grad()
