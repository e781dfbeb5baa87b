"""float32 weights under autocast, and half-precision weights with float32 master copies."""

import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.AdamW(net.parameters(), lr=1e-4)
half = nn.Linear(6, 2).to(torch.bfloat16)
master = [p.detach().float().requires_grad_() for p in half.parameters()]
opt_master = torch.optim.SGD(master, lr=1e-3)
x, y = torch.randn(32, 6), torch.randint(0, 2, (32,))
for _ in range(12):
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    half.zero_grad()
    nn.functional.cross_entropy(half(x.bfloat16()).float(), y).backward()
    for p, m in zip(half.parameters(), master):
        m.grad = p.grad.float()
    opt_master.step()
    with torch.no_grad():
        for p, m in zip(half.parameters(), master):
            p.copy_(m)
