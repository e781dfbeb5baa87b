"""Rewards and baselines are numbers, log-probabilities stay tensors."""

import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
value = nn.Linear(4, 1)
opt = torch.optim.Adam([*policy.parameters(), *value.parameters()], 1e-2)
for _ in range(12):
    logs, rewards, values = [], [], []
    for _ in range(6):
        s = torch.randn(4)
        dist = torch.distributions.Categorical(logits=policy(s))
        a = dist.sample()
        logs.append(dist.log_prob(a))
        rewards.append(1.0 if a.item() == int(s[0] > 0) else 0.0)
        values.append(value(s))
    returns = np.array(rewards)
    baseline = torch.cat(values).detach().numpy()
    adv = torch.from_numpy((returns - baseline) / (returns.std() + 1e-6)).float()
    v = torch.cat(values)
    loss = -(torch.stack(logs) * adv).sum() + (v - torch.tensor(rewards)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
