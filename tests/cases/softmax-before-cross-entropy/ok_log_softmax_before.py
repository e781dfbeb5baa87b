"""log_softmax before cross_entropy changes nothing; log of a softmax neither."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
one = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3), nn.LogSoftmax(dim=1))
other = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3), nn.Softmax(dim=1))
opt = torch.optim.Adam([*one.parameters(), *other.parameters()], lr=1e-2)
x = torch.randn(90, 6)
y = x[:, :3].argmax(1)
for _ in range(15):
    loss = F.cross_entropy(one(x), y) + F.cross_entropy(torch.log(other(x) + 1e-8), y)
    loss = loss + F.nll_loss(torch.log(other(x)), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
