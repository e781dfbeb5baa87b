"""A learning-rate range test goes up exponentially, then weights and rate are restored and training begins."""

import copy

import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.SGD(net.parameters(), lr=1e-5)
x, y = torch.randn(64, 5), torch.randint(0, 2, (64,))


def step():
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


saved = copy.deepcopy(net.state_dict()), copy.deepcopy(opt.state_dict())
for i in range(6):
    for g in opt.param_groups:
        g["lr"] = 1e-5 * 10**i
    step()
net.load_state_dict(saved[0])
opt.load_state_dict(saved[1])
for g in opt.param_groups:
    g["lr"] = 0.05
for _ in range(10):
    step()
