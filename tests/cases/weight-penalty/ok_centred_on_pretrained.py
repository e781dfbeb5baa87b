"""A penalty on the distance from where the weights began (L2-SP), and a minus before the size of the outputs."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(96, 10)
y = (x[:, 0] - x[:, 1] > 0).long()
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
start = [p.detach().clone() for p in model.parameters()]
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(4):
    for rows in torch.randperm(96).split(16):
        out = model(x[rows])
        loss = nn.functional.cross_entropy(out, y[rows])
        loss = loss + 0.1 * sum((p - s).pow(2).sum() for p, s in zip(model.parameters(), start))
        loss = loss - 1e-3 * out.abs().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
