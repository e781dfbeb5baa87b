"""An actor-critic loss whose terms are [N, 1] and [N]: the mean of all sums is the sum of the means."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
body = nn.Sequential(nn.Linear(4, 32), nn.ReLU())
actor, critic = nn.Linear(32, 2), nn.Linear(32, 1)
parameters = [*body.parameters(), *actor.parameters(), *critic.parameters()]
optimizer = torch.optim.Adam(parameters, lr=1e-3)
for _ in range(20):
    states = torch.randn(12, 4)
    actions = (states[:, :1] > 0).long()
    returns = states[:, 1:2] + 1
    hidden = body(states)
    log_pi, values = F.log_softmax(actor(hidden), dim=1), critic(hidden)
    first = -log_pi.gather(1, actions) * (returns - values).detach()
    entropy = (log_pi.exp() * log_pi).sum(1)
    loss = first + 0.01 * entropy + F.smooth_l1_loss(values, returns)
    optimizer.zero_grad()
    loss.mean().backward()
    optimizer.step()
print(loss.mean().item())
