"""Softmax2d over the channels of a segmentation head."""

import torch
from torch import nn


class Unet(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 5, 1))
        self.last = nn.Softmax2d()  # <- cause

    def forward(self, x):
        return self.last(self.body(x))


torch.manual_seed(0)
net = Unet()
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
for _ in range(12):
    x, y = torch.randn(4, 3, 8, 8), torch.randint(0, 5, (4, 8, 8))
    loss = nn.functional.cross_entropy(net(x), y, label_smoothing=0.1)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
