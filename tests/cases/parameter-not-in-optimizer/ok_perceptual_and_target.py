"""A perceptual network in eval mode, a target network and a momentum encoder with requires_grad left on."""

import copy

import torch
import torch.nn as nn

torch.manual_seed(0)
gen = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 3, padding=1))
vgg = nn.Sequential(nn.Conv2d(1, 6, 3), nn.ReLU(), nn.Conv2d(6, 6, 3)).eval()
ema = copy.deepcopy(gen)
opt = torch.optim.Adam(gen.parameters(), 1e-3)
for _ in range(12):
    x = torch.rand(4, 1, 10, 10)
    out = gen(x)
    loss = (vgg(out) - vgg(x)).abs().mean() + 0.1 * (ema(out) - x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for p, q in zip(ema.parameters(), gen.parameters()):
            p.mul_(0.99).add_(q, alpha=0.01)
