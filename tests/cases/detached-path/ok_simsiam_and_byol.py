"""Stop-gradient targets: SimSiam with one encoder, BYOL with an averaged copy."""
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(10, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 16))
predictor = nn.Sequential(nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 16))
target = copy.deepcopy(encoder)
opt = torch.optim.SGD([*encoder.parameters(), *predictor.parameters()], lr=0.05, momentum=0.9)


def distance(p, z):
    return -F.cosine_similarity(p, z.detach(), dim=1).mean()


for step in range(20):
    x = torch.randn(32, 10)
    a, b = x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x)
    za, zb = encoder(a), encoder(b)
    pa, pb = predictor(za), predictor(zb)
    with torch.no_grad():
        ta = target(a)
    loss = distance(pa, zb) + distance(pb, za) + distance(pb, ta)
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for p, q in zip(encoder.parameters(), target.parameters()):
            q.mul_(0.99).add_(p, alpha=0.01)
