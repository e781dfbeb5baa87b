"""A generator of parameters is used twice: the second optimizer group is empty."""

import itertools

import torch
import torch.nn as nn

torch.manual_seed(0)
image, text = nn.Linear(10, 6), nn.Linear(7, 6)
params = itertools.chain(image.parameters(), text.parameters())
print("trainable:", sum(p.numel() for p in params))
scale = nn.Parameter(torch.zeros(()))
opt = torch.optim.Adam([{"params": params}, {"params": [scale]}], lr=1e-2)  # <- cause
a, b = torch.randn(16, 10), torch.randn(16, 7)
for _ in range(12):
    u = nn.functional.normalize(image(a), dim=-1)
    v = nn.functional.normalize(text(b), dim=-1)
    loss = nn.functional.cross_entropy(u @ v.t() * scale.exp(), torch.arange(16))
    opt.zero_grad()
    loss.backward()
    opt.step()
