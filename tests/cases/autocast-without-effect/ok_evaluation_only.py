"""Trained in float32, evaluated in bfloat16; and one part of a model in half precision."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(96, 8)
y = (x @ torch.randn(8, 3)).argmax(1)
body, head = nn.Sequential(nn.Linear(8, 32), nn.ReLU()), nn.Linear(32, 3)
opt = torch.optim.Adam([*body.parameters(), *head.parameters()], lr=1e-3)
for _ in range(4):
    for rows in torch.randperm(96).split(48):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(head(body(x[rows])), y[rows])
        loss.backward()
        opt.step()
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        print((head(body(x)).argmax(1) == y).float().mean().item())
