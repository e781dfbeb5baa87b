"""Actor-critic: the critic is frozen for the actor's update and never unfrozen."""

import torch
import torch.nn as nn

torch.manual_seed(0)


def mlp(a, b):
    return nn.Sequential(nn.Linear(a, 24), nn.ReLU(), nn.Linear(24, b))


class Agent:
    def __init__(self):
        self.actor, self.critic = mlp(4, 2), mlp(6, 1)
        self.actor_opt = torch.optim.Adam(self.actor.parameters(), lr=1e-3)
        self.critic_opt = torch.optim.Adam(self.critic.parameters(), lr=1e-3)

    def update(self, s, a, r):
        critic_loss = (self.critic(torch.cat([s, a], 1)).squeeze(1) - r).pow(2).mean()
        self.critic_opt.zero_grad()
        if critic_loss.requires_grad:
            critic_loss.backward()
        self.critic_opt.step()

        for p in self.critic.parameters():
            p.requires_grad = False  # <- cause
        actor_loss = -self.critic(torch.cat([s, torch.tanh(self.actor(s))], 1)).mean()
        self.actor_opt.zero_grad()
        actor_loss.backward()
        self.actor_opt.step()


agent = Agent()
for _ in range(14):
    s, a = torch.randn(32, 4), torch.rand(32, 2)
    agent.update(s, a, -(s[:, :2] - a).pow(2).sum(1))
