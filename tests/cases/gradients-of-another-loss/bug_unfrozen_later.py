"""The backbone collects gradients while only the head is trained and cleared; its first step uses all of them."""

import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(6, 16), nn.Tanh())
head = nn.Linear(16, 2)
head_opt = torch.optim.SGD(head.parameters(), lr=0.1)
backbone_opt = torch.optim.SGD(backbone.parameters(), lr=0.1)
for step in range(16):
    x = torch.randn(32, 6)
    head_opt.zero_grad()
    loss = nn.functional.cross_entropy(head(backbone(x)), (x[:, 0] > 0).long())
    loss.backward()  # <- cause
    head_opt.step()
    if step >= 5:
        backbone_opt.step()
        backbone_opt.zero_grad()
