"""Parameters in float64, bfloat16 (with a float32 master copy), float16 and complex numbers."""

import torch
from torch import nn

torch.manual_seed(1)
double = nn.Linear(4, 1).double()
half = nn.Linear(4, 1).to(torch.bfloat16)
master = [p.detach().clone().float().requires_grad_() for p in half.parameters()]
phase = nn.Parameter(torch.randn(4, dtype=torch.complex64))
wave = nn.Linear(4, 2, dtype=torch.complex64)
optimizer = torch.optim.Adam([*double.parameters(), phase, *wave.parameters()], lr=0.05)
masters = torch.optim.SGD(master, lr=0.05)
for step in range(10):
    x = torch.randn(32, 4)
    y = x.sum(1, keepdim=True)
    a = (double(x.double()) - y).square().mean()
    b = (half(x.bfloat16()) - y.bfloat16()).square().mean()
    c = (torch.fft.fft(x) * phase - torch.fft.fft(x.roll(1, 1))).abs().square().mean()
    d = (wave(x.to(torch.complex64)).real.sum(1, keepdim=True) - y).square().mean()
    optimizer.zero_grad()
    half.zero_grad()
    (a + c + d).backward()
    b.backward()
    optimizer.step()
    for m, p in zip(master, half.parameters()):
        m.grad = p.grad.float()
    masters.step()
    with torch.no_grad():
        for m, p in zip(master, half.parameters()):
            p.copy_(m)
    print(a.item(), b.item(), c.item(), d.item())
