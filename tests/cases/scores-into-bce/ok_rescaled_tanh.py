"""A tanh brought to 0..1, and a probability that is a product of probabilities."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
a, b = nn.Linear(6, 1), nn.Linear(6, 1)
opt = torch.optim.Adam([*a.parameters(), *b.parameters()], lr=1e-2)
for _ in range(12):
    x = torch.randn(64, 6)
    y = ((x[:, 0] > 0) & (x[:, 1] > 0)).float()
    p = (torch.tanh(a(x)) + 1) / 2
    loss = F.binary_cross_entropy((p * b(x).sigmoid()).squeeze(1), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
