"""A real copy: synchronised, averaged, used for targets."""
import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(80, 6), torch.randint(0, 3, (80,))

q = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
q_target = copy.deepcopy(q)
policy = q
opt = torch.optim.Adam(q.parameters(), lr=1e-3)
for step in range(20):
    i = torch.randint(0, 79, (16,))
    with torch.no_grad():
        action = policy(x[i]).argmax(1)
        goal = y[i].float() + 0.9 * q_target(x[i + 1]).max(1).values
    loss = F.mse_loss(q(x[i]).gather(1, action[:, None]).squeeze(1), goal)
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for tp, p in zip(q_target.parameters(), q.parameters()):
            tp.lerp_(p, 0.01)
