"""Frozen first, then LoRA is injected: down random, up zero, both train."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class LoRA(nn.Module):
    def __init__(self, base, r=2):
        super().__init__()
        self.base = base
        self.a = nn.Parameter(torch.randn(r, base.in_features) * 0.1)
        self.b = nn.Parameter(torch.zeros(base.out_features, r))

    def forward(self, x):
        return self.base(x) + x @ self.a.t() @ self.b.t()


model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))
for p in model.parameters():
    p.requires_grad = False
for i in (0, 2):
    model[i] = LoRA(model[i])
opt = torch.optim.Adam((p for p in model.parameters() if p.requires_grad), lr=1e-2)
x, y = torch.randn(40, 6), torch.randint(0, 3, (40,))
for _ in range(12):
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
