"""OneCycle and cosine per batch over the whole training; a decay of 5 % an epoch; a plateau scheduler."""

import torch
import torch.nn as nn

torch.manual_seed(0)
STEPS = 200
nets = [nn.Linear(4, 1) for _ in range(4)]
opts = [torch.optim.SGD(n.parameters(), lr=0.05) for n in nets]
s = torch.optim.lr_scheduler
scheds = [
    s.OneCycleLR(opts[0], max_lr=0.1, total_steps=STEPS),
    s.CosineAnnealingLR(opts[1], T_max=STEPS),
    s.CosineAnnealingWarmRestarts(opts[2], T_0=50),
    s.LinearLR(opts[3], start_factor=0.01, total_iters=30),
]
for step in range(16):
    x = torch.randn(16, 4)
    for net, opt, sched in zip(nets, opts, scheds):
        loss = (net(x) - x.sum(1, keepdim=True)).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
