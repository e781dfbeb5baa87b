"""A fresh weight for F.conv1d on each call, made in a helper method."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class Smooth(nn.Module):
    def __init__(self, ch, k):
        super().__init__()
        self.ch, self.k = ch, k
        self.gain = nn.Parameter(torch.ones(1))

    def kernel(self):
        w = torch.empty(self.ch, self.ch, self.k)
        nn.init.kaiming_uniform_(w)
        return nn.Parameter(w)  # <- cause

    def forward(self, x):
        return F.conv1d(x, self.kernel(), padding=self.k // 2) * self.gain  # <- cause


net = nn.Sequential(nn.Conv1d(1, 4, 3, padding=1), Smooth(4, 3), nn.Conv1d(4, 1, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x = torch.randn(8, 1, 12)
for _ in range(12):
    loss = F.l1_loss(net(x), x.flip(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
