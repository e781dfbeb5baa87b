"""Each fold starts from the same weights, on purpose, with an optimizer of its own."""

import copy

import torch
import torch.nn as nn

torch.manual_seed(0)
x, y = torch.randn(60, 6), torch.randint(0, 2, (60,))
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
start = copy.deepcopy(net.state_dict())
for fold in range(4):
    net.load_state_dict(start)
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    keep = torch.arange(60) % 4 != fold
    for _ in range(5):
        loss = nn.functional.cross_entropy(net(x[keep]), y[keep])
        opt.zero_grad()
        loss.backward()
        opt.step()
