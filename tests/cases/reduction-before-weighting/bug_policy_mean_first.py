"""REINFORCE: the log-probabilities are averaged before the returns are multiplied in."""
import torch
import torch.nn as nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
for episode in range(12):
    obs = torch.randn(25, 4)
    dist = Categorical(logits=policy(obs))
    action = dist.sample()
    returns = torch.randn(25)
    loss = -(dist.log_prob(action).mean() * returns).sum()  # <- cause
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
