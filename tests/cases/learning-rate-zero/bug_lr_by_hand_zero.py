import torch
import torch.nn as nn

torch.manual_seed(0)


def set_lr(opt, step, warmup=1000, base=1e-3):
    for g in opt.param_groups:
        g["lr"] = base * min(1, step // warmup)  # <- cause


net = nn.Linear(4, 1)
opt = torch.optim.Adam(net.parameters(), 1e-3)
for step in range(14):
    set_lr(opt, step)
    x = torch.randn(16, 4)
    loss = (net(x) - x[:, :1]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
