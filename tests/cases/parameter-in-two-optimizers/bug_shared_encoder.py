"""Two agents share an encoder, and each optimizer was given it."""

import torch
from torch import nn


class Agent:
    def __init__(self, encoder):
        self.encoder, self.head = encoder, nn.Linear(12, 1)
        params = [*encoder.parameters(), *self.head.parameters()]
        self.optimizer = torch.optim.Adam(params, lr=1e-3)  # <- cause


torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(6, 12), nn.Tanh())
agents = [Agent(encoder), Agent(encoder)]
for step in range(15):
    x = torch.randn(32, 6)
    for agent in agents:
        agent.optimizer.zero_grad()
    z = encoder(x)
    loss = sum((agent.head(z) - x[:, i : i + 1]).pow(2).mean() for i, agent in enumerate(agents))
    loss.backward()
    for agent in agents:
        agent.optimizer.step()
