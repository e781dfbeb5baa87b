"""The sampled action goes into the critic, and the policy is meant to learn through it."""
import torch
import torch.nn as nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3))
critic = nn.Sequential(nn.Linear(4 + 3, 16), nn.Tanh(), nn.Linear(16, 1))
opt_p = torch.optim.Adam(policy.parameters(), lr=1e-3)
opt_c = torch.optim.Adam(critic.parameters(), lr=1e-3)


def act(state):
    dist = Categorical(logits=policy(state))
    action = dist.sample()  # <- cause
    return nn.functional.one_hot(action, 3).float()


for step in range(15):
    state = torch.randn(32, 4)
    action = act(state)
    reward = action[:, :1] * state[:, :1]
    critic_loss = (critic(torch.cat([state, action.detach()], 1)) - reward).pow(2).mean()
    opt_c.zero_grad()
    critic_loss.backward()
    opt_c.step()

    actor_loss = -critic(torch.cat([state, act(state)], 1)).mean()
    opt_p.zero_grad()
    actor_loss.backward()
    opt_p.step()
