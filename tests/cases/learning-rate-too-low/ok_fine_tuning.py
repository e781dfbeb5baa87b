"""Loaded weights, moved by 1e-6 a step: a careful fine-tuning."""
import copy

import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(256, 8)
y = (x[:, 0] > 0).long()
old = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 2))
state = copy.deepcopy(old.state_dict())
model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 2))
model.load_state_dict(state)
opt = torch.optim.Adam(model.parameters(), lr=1e-8)
for step in range(15):
    i = torch.randint(0, 256, (32,))
    loss = nn.functional.cross_entropy(model(x[i]), y[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
