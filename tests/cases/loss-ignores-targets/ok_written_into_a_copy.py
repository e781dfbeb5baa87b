"""Q-learning: a copy of the output, with the value of the chosen action put in."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
q = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(q.parameters(), lr=1e-2)
for _ in range(12):
    state, action, reward = torch.randn(32, 4), torch.randint(0, 2, (32,)), torch.randn(32)
    values = q(state)
    target = values.detach().clone()
    target[torch.arange(32), action] = reward
    loss = F.mse_loss(values, target)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
