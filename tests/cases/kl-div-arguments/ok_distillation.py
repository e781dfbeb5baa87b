"""Both forms, and the mean over all elements."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(8, 6)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(12):
    x = torch.randn(32, 8)
    log_p = F.log_softmax(net(x) / 2, dim=-1)
    goal = x[:, :6]
    loss = F.kl_div(log_p, F.softmax(goal / 2, dim=-1), reduction="batchmean")
    loss = loss + F.kl_div(log_p, F.log_softmax(goal, dim=-1), log_target=True, reduction="batchmean")
    loss = loss + F.kl_div(log_p, F.softmax(goal, dim=-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
