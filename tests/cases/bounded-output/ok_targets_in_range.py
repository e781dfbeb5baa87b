"""Activations that suit their targets: noisy probabilities, images in -1..1, counts, stretched ranges."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
p, image, count, wide = (nn.Linear(6, n) for n in (1, 9, 1, 1))
opt = torch.optim.Adam([w for m in (p, image, count, wide) for w in m.parameters()], lr=1e-2)
for _ in range(12):
    x = torch.randn(32, 6)
    noisy = (x[:, :1] > 0).float() + 0.02 * torch.randn(32, 1)
    loss = F.mse_loss(torch.sigmoid(p(x)), noisy)
    loss = loss + F.mse_loss(torch.tanh(image(x)), 2 * torch.rand(32, 9) - 1)
    loss = loss + F.mse_loss(F.softplus(count(x)), torch.poisson(x[:, :1].exp()))
    loss = loss + F.l1_loss(30 * torch.tanh(wide(x)), 5 * x[:, 1:2]) + (torch.relu(count(x)) - x[:, :1].abs()).abs().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
