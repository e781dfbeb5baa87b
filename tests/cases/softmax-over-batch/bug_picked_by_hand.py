"""The own class is picked by indexing from a softmax over the batch."""

import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3))
opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
for _ in range(12):
    obs, action = torch.randn(20, 6), torch.randint(0, 3, (20,))
    log_p = policy(obs).log_softmax(dim=0)  # <- cause
    chosen = log_p[torch.arange(20), action]
    loss = -(chosen * torch.randn(20)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
