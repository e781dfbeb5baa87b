"""Averaged weights are swapped in for validation and swapped out again; a checkpoint is loaded before the loop."""

import copy

import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 10), nn.Tanh(), nn.Linear(10, 1))
net.load_state_dict(copy.deepcopy(net.state_dict()))
ema = {k: v.clone() for k, v in net.state_dict().items()}
opt = torch.optim.SGD(net.parameters(), lr=0.05)
x = torch.randn(64, 5)
for step in range(24):
    loss = (net(x) - x[:, :1]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for k, v in net.state_dict().items():
            ema[k].lerp_(v, 0.1)
    if step % 3 == 2:
        kept = copy.deepcopy(net.state_dict())
        net.load_state_dict(ema)
        with torch.no_grad():
            val = (net(x) - x[:, :1]).pow(2).mean()
        net.load_state_dict(kept)
