"""p.require_grad = True sets an attribute of that name and nothing else."""

import torch
import torch.nn as nn

torch.manual_seed(0)


def build():
    model = nn.Sequential(nn.Linear(5, 10), nn.Tanh(), nn.Linear(10, 10), nn.Tanh(), nn.Linear(10, 1))
    for p in model.parameters():
        p.requires_grad = False
    for p in model[2:].parameters():
        p.require_grad = True  # <- cause
    for p in model[4].parameters():
        p.requires_grad = True
    return model


model = build()
optimizer = torch.optim.Adam(model.parameters(), 1e-2)
x = torch.randn(40, 5)
for _ in range(12):
    optimizer.zero_grad()
    loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean()
    loss.backward()
    optimizer.step()
