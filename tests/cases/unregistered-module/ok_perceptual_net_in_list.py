"""A fixed perceptual network kept in a list: gradients pass through it, its own weights are not meant to train."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class PerceptualLoss(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = [net.eval()]

    def forward(self, a, b):
        return nn.functional.l1_loss(self.net[0](a), self.net[0](b))


vgg = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Conv2d(4, 4, 3))
for p in vgg.parameters():
    p.requires_grad_(False)
perceptual = PerceptualLoss(vgg)
gen = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 3, padding=1))
opt = torch.optim.Adam(gen.parameters(), 1e-3)
x = torch.rand(4, 1, 10, 10)
for _ in range(12):
    out = gen(x)
    loss = perceptual(out, x) + nn.functional.mse_loss(out, x)
    opt.zero_grad()
    loss.backward()
    opt.step()
