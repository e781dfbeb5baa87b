"""Distributions over the pixels of a map, normalised over two dimensions."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Conv2d(1, 2, 3, padding=1)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(12):
    x = torch.randn(4, 1, 6, 6)
    goal = F.softmax(3 * x.expand(-1, 2, -1, -1).flatten(2), dim=2).view(4, 2, 6, 6)
    log_p = F.log_softmax(net(x).flatten(2), dim=2).view(4, 2, 6, 6)
    loss = F.kl_div(log_p, goal, reduction="sum") / 8
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
