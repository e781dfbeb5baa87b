"""Probabilities handed to Categorical as logits."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Sequential(
    nn.Linear(4, 32),
    nn.Tanh(),
    nn.Linear(32, 3),
    nn.Softmax(dim=-1),  # <- cause
)
opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
for _ in range(15):
    obs = torch.randn(64, 4)
    dist = Categorical(logits=policy(obs))
    action = dist.sample()
    reward = (action == (obs[:, 0] > 0).long()).float()
    loss = -(dist.log_prob(action) * (reward - reward.mean())).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
