"""A learnable temperature kept as a plain tensor attribute."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class Clip(nn.Module):
    def __init__(self):
        super().__init__()
        self.image = nn.Linear(10, 6)
        self.text = nn.Linear(7, 6)
        self.logit_scale = torch.tensor(2.0, requires_grad=True)  # <- cause

    def forward(self, a, b):
        a, b = F.normalize(self.image(a), dim=-1), F.normalize(self.text(b), dim=-1)
        return self.logit_scale.exp() * a @ b.t()


net = Clip()
opt = torch.optim.AdamW(net.parameters(), lr=1e-2)
a, b = torch.randn(16, 10), torch.randn(16, 7)
for _ in range(12):
    logits = net(a, b)
    target = torch.arange(16)
    loss = (F.cross_entropy(logits, target) + F.cross_entropy(logits.t(), target)) / 2
    opt.zero_grad()
    loss.backward()
    opt.step()
