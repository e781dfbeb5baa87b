"""Usual clipping: a limit of 1, a small limit with Adam, infinity to measure, by hand in place."""
import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2))
last = nn.Linear(2, 2)
opt = torch.optim.Adam([*net.parameters(), *last.parameters()], lr=1e-2)
for step in range(15):
    x, y = torch.randn(16, 3) * 3, torch.randint(0, 2, (16,))
    opt.zero_grad()
    nn.functional.cross_entropy(last(net(x)) * 1000, y).backward()
    nn.utils.clip_grad_norm_(net.parameters(), float("inf"))
    nn.utils.clip_grad_norm_(net.parameters(), 0.01 if step % 2 else 1.0)
    for p in last.parameters():
        p.grad.clamp_(-0.5, 0.5)
    opt.step()
