import math

import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), 0.1)
for step in range(120):
    for g in opt.param_groups:
        g["lr"] = 0.1 * (step / 10 if step < 10 else 0.5 * (1 + math.cos(math.pi * (step - 10) / 110)))
    x = torch.randn(16, 4)
    loss = (net(x) - x[:, :1]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
