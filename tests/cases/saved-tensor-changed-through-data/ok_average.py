"""A moving average written through .data at every step, before backward; nothing keeps it."""
import copy

import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(256, 8)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
average = copy.deepcopy(model)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(15):
    i = torch.randint(0, 256, (32,))
    loss = nn.functional.cross_entropy(model(x[i]), y[i])
    for p, a in zip(model.parameters(), average.parameters()):
        a.data.mul_(0.9).add_(p.data, alpha=0.1)
    opt.zero_grad()
    loss.backward()
    opt.step()
