"""Log-probabilities and rewards of an episode are collected, and back-propagated at its end."""

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
for episode in range(14):
    logs, rewards = [], []
    state = torch.randn(3)
    for move in range(8):
        choice = Categorical(logits=policy(state))
        action = choice.sample()
        logs.append(choice.log_prob(action))
        rewards.append(float((action == (state[0] > 0)).float()))
        state = torch.randn(3)
    returns = torch.tensor(rewards).flip(0).cumsum(0).flip(0)
    loss = 0
    for log, value in zip(logs, returns - returns.mean()):
        loss = loss - log * value
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
