import torch
import torch.nn as nn

torch.manual_seed(0)


def adjust(opt, i):
    for g in opt.param_groups:
        g["lr"] = 0.1 * 0.5**i  # <- cause


net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), 0.1)
for epoch in range(5):
    for i in range(40):
        adjust(opt, epoch * 40 + i)
        x = torch.randn(16, 4)
        loss = (net(x) - x[:, :1]).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
