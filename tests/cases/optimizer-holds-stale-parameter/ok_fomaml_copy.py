import copy

import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
meta = torch.optim.Adam(net.parameters(), 1e-3)
for it in range(12):
    learner = copy.deepcopy(net)
    inner = torch.optim.SGD(learner.parameters(), 0.02)
    x = torch.rand(10, 1) * 6 - 3
    y = torch.sin(x)
    for _ in range(2):
        inner.zero_grad()
        (learner(x) - y).pow(2).mean().backward()
        inner.step()
    learner.zero_grad()
    (learner(x) - y).pow(2).mean().backward()
    meta.zero_grad()
    for p, q in zip(net.parameters(), learner.parameters()):
        p.grad = q.grad.clone()
    meta.step()
