"""The usual ways to come by log-probabilities, one of them in bfloat16."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
one = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 5), nn.LogSoftmax(dim=-1))
two = nn.Linear(8, 5)
opt = torch.optim.Adam([*one.parameters(), *two.parameters()], lr=1e-2)
for _ in range(12):
    x = torch.randn(64, 8)
    y = x[:, :5].argmax(1)
    loss = F.nll_loss(one(x), y) + F.nll_loss(torch.log(two(x).softmax(1) + 1e-9), y)
    loss = loss + F.nll_loss(F.log_softmax(two(x).bfloat16(), dim=1).float(), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
