"""SAC: log_alpha is a leaf tensor attribute with an optimizer of its own."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class Agent:
    def __init__(self):
        self.actor = nn.Linear(4, 2)
        self.critic = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
        self.log_alpha = torch.zeros(1, requires_grad=True)
        self.actor_opt = torch.optim.Adam(self.actor.parameters(), 3e-3)
        self.critic_opt = torch.optim.Adam(self.critic.parameters(), 3e-3)
        self.alpha_opt = torch.optim.Adam([self.log_alpha], 3e-3)

    def act(self, s):
        mean, log_std = self.actor(s).chunk(2, -1)
        dist = torch.distributions.Normal(mean, log_std.exp())
        a = dist.rsample()
        return a, dist.log_prob(a)

    def update(self, s):
        a, logp = self.act(s)
        q = self.critic(torch.cat([s, a.detach()], 1))
        loss_q = (q - s.sum(1, keepdim=True)).pow(2).mean()
        self.critic_opt.zero_grad()
        loss_q.backward()
        self.critic_opt.step()
        loss_pi = (self.log_alpha.exp().detach() * logp - self.critic(torch.cat([s, a], 1))).mean()
        self.actor_opt.zero_grad()
        loss_pi.backward()
        self.actor_opt.step()
        loss_alpha = -(self.log_alpha.exp() * (logp + 1.0).detach()).mean()
        self.alpha_opt.zero_grad()
        loss_alpha.backward()
        self.alpha_opt.step()


agent = Agent()
for _ in range(12):
    agent.update(torch.randn(32, 4))
