"""Reptile: a copy of the model is made and trained for every task, then the model moves towards it."""

import copy

import torch
import torch.nn as nn

torch.manual_seed(0)
meta = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
for task in range(6):
    phase = torch.rand(1) * 3
    learner = copy.deepcopy(meta)
    opt = torch.optim.SGD(learner.parameters(), lr=0.05)
    for _ in range(3):
        x = torch.rand(16, 1) * 6
        loss = (learner(x) - torch.sin(x + phase)).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        for p, q in zip(meta.parameters(), learner.parameters()):
            p += 0.3 * (q - p)
