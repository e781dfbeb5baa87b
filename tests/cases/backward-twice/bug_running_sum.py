"""Each task's loss is added to a sum, and the sum is back-propagated every time: the first task counts three times."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
body = nn.Linear(8, 16)
heads = nn.ModuleList([nn.Linear(16, 2) for _ in range(3)])
optimizer = torch.optim.SGD([*body.parameters(), *heads.parameters()], lr=0.05)


def iteration(x):
    optimizer.zero_grad()
    z = torch.tanh(body(x))
    total = 0.0
    for i, head in enumerate(heads):
        total = total + F.cross_entropy(head(z), (x[:, i] > 0).long())
        total.backward(retain_graph=True)  # <- cause
    optimizer.step()


for step in range(12):
    iteration(torch.randn(32, 8))
