"""The advantage is a matrix before it is normalised: returns [N] minus the critic's [N, 1]."""
import torch
import torch.nn as nn
from torch.distributions import Categorical

torch.manual_seed(0)
body = nn.Sequential(nn.Linear(4, 16), nn.Tanh())
actor, critic = nn.Linear(16, 3), nn.Linear(16, 1)
optimizer = torch.optim.Adam([*body.parameters(), *actor.parameters(), *critic.parameters()], lr=1e-3)


def update(obs, returns):
    h = body(obs)
    values = critic(h)
    dist = Categorical(logits=actor(h))
    advantage = returns - values.detach()  # <- cause
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    policy_loss = -(dist.log_prob(dist.sample()) * advantage).mean()
    value_loss = (returns.unsqueeze(1) - values).pow(2).mean()
    optimizer.zero_grad()
    (policy_loss + 0.5 * value_loss - 0.01 * dist.entropy().mean()).backward()
    optimizer.step()


for episode in range(12):
    update(torch.randn(30, 4), torch.randn(30).cumsum(0))
