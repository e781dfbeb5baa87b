"""Linear probes: backbone frozen, backbone under no_grad, both left out of the optimizer."""

import torch
import torch.nn as nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 16)).eval()
for p in backbone.parameters():
    p.requires_grad_(False)
second = nn.Linear(6, 16)
head = nn.Linear(32, 2)
opt = torch.optim.SGD(head.parameters(), 0.1)
x = torch.randn(40, 6)
y = (x[:, 0] > 0).long()
for _ in range(12):
    with torch.no_grad():
        extra = second(x)
    loss = nn.functional.cross_entropy(head(torch.cat([backbone(x), extra], 1)), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
