"""A penalty on how far weights are from orthogonal, and a bonus for the entropy of a learned deviation."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(96, 10)
y = x[:, :4].sin()
model = nn.Sequential(nn.Linear(10, 32), nn.Tanh(), nn.Linear(32, 4))
log_std = nn.Parameter(torch.zeros(4))
opt = torch.optim.Adam([*model.parameters(), log_std], lr=5e-3)
for _ in range(4):
    for rows in torch.randperm(96).split(16):
        mean = model(x[rows])
        nll = (0.5 * ((y[rows] - mean) / log_std.exp()) ** 2 + log_std).mean()
        w = model[0].weight
        off = (w.t() @ w - torch.eye(10)).pow(2).sum()
        loss = nll + 1e-2 * off - 1e-2 * log_std.sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
