"""Pseudo-labels beside true ones."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(12):
    x, more = torch.randn(32, 6), torch.randn(32, 6)
    out = net(more)
    loss = F.cross_entropy(net(x), x[:, :3].argmax(1)) + 0.3 * F.cross_entropy(out, out.detach().argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
