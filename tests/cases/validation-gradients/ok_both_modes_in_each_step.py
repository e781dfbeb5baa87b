"""Two domains: the source in training mode, the target with the source's statistics, in every step."""

import torch
from torch import nn

torch.manual_seed(0)
source = torch.randn(96, 6)
y = (source @ torch.randn(6, 3)).argmax(1)
target = source + 0.2
model = nn.Sequential(nn.Linear(6, 24), nn.BatchNorm1d(24), nn.ReLU(), nn.Linear(24, 3))
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(3):
    for rows in torch.randperm(96).split(16):
        opt.zero_grad()
        model.eval()
        p = model(target[rows]).softmax(1)
        (-0.1 * (p * p.clamp_min(1e-6).log()).sum(1).mean()).backward()
        model.train()
        nn.functional.cross_entropy(model(source[rows]), y[rows]).backward()
        opt.step()
