"""WGAN clamps, max-norm constraints, Lookahead's slow weights and Reptile's interpolation write every step."""

import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.RMSprop(net.parameters(), lr=5e-3)
slow = [p.detach().clone() for p in net.parameters()]
x = torch.randn(40, 6)
for step in range(14):
    loss = (net(x) - x[:, :1]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for p in net.parameters():
            p.clamp_(-0.2, 0.2)
        if step % 5 == 4:
            for p, q in zip(net.parameters(), slow):
                q.add_(p - q, alpha=0.5)
                p.copy_(q)
