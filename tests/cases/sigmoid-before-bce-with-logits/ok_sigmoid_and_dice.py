"""The logits go to the loss, their sigmoid to a Dice loss and to a focal weight."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 3, padding=1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(12):
    x = torch.randn(4, 1, 8, 8)
    y = (x > 0).float()
    logits = net(x)
    p = logits.sigmoid()
    dice = 1 - 2 * (p * y).sum() / (p.sum() + y.sum() + 1)
    focal = (F.binary_cross_entropy_with_logits(logits, y, reduction="none") * (y - p.detach()).abs()).mean()
    loss = F.binary_cross_entropy_with_logits(logits, y) + dice + focal
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
