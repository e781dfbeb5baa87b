"""A linear layer over time: the classes come from the convolution before it."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
conv, over_time = nn.Conv1d(2, 4, 3, padding=1), nn.Linear(10, 6)
opt = torch.optim.Adam([*conv.parameters(), *over_time.parameters()], lr=1e-2)
for _ in range(12):
    scores = over_time(torch.relu(conv(torch.randn(5, 2, 10))))
    loss = F.cross_entropy(scores, torch.randint(0, 4, (5, 6)))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
