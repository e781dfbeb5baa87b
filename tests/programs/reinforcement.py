"""REINFORCE with a baseline, and a soft actor-critic's temperature: rewards from NumPy, values detached."""

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical, Normal

torch.manual_seed(1)
rng = np.random.default_rng(1)
policy, value = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 2)), nn.Linear(3, 1)
optimizer = torch.optim.Adam([*policy.parameters(), *value.parameters()], lr=0.02)
for episode in range(8):
    states = torch.from_numpy(rng.normal(size=(12, 3)).astype(np.float32))
    choices = Categorical(logits=policy(states))
    actions = choices.sample()
    rewards = (actions.numpy() == (states.numpy()[:, 0] > 0)).astype(np.float32)
    returns = torch.as_tensor(rewards)
    advantage = returns - value(states).squeeze(1)
    actor = -(choices.log_prob(actions) * advantage.detach()).mean() - 0.01 * choices.entropy().mean()
    loss = actor + 0.5 * advantage.square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item(), rewards.mean())

gaussian = nn.Linear(3, 2)
log_alpha = torch.zeros(1, requires_grad=True)
actor_optimizer = torch.optim.Adam(gaussian.parameters(), lr=0.02)
alpha_optimizer = torch.optim.Adam([log_alpha], lr=0.02)
for step in range(8):
    mean, log_std = gaussian(torch.randn(16, 3)).chunk(2, dim=1)
    choice = Normal(mean, log_std.exp())
    action = choice.rsample()
    log_prob = choice.log_prob(action) - torch.log(1 - torch.tanh(action).square() + 1e-6)
    loss = (log_alpha.exp().detach() * log_prob - (torch.tanh(action) - 0.5).square().neg()).mean()
    actor_optimizer.zero_grad()
    loss.backward()
    actor_optimizer.step()
    alpha_loss = -(log_alpha * (log_prob + 1.0).detach()).mean()
    alpha_optimizer.zero_grad()
    alpha_loss.backward()
    alpha_optimizer.step()
    print(loss.item(), log_alpha.item())
