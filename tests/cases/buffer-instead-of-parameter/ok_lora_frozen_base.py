"""The base weight of a LoRA layer and of an additive adapter as random buffers: fixed, and learned around."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class LoRALinear(nn.Module):
    def __init__(self, a, b, r=2):
        super().__init__()
        self.register_buffer("weight", torch.randn(b, a) / a**0.5)
        self.down = nn.Parameter(torch.randn(r, a) * 0.1)
        self.up = nn.Parameter(torch.zeros(b, r))

    def forward(self, x):
        return F.linear(x, self.weight + self.up @ self.down)


net = nn.Sequential(LoRALinear(6, 12), nn.ReLU(), LoRALinear(12, 2))
opt = torch.optim.Adam(net.parameters(), 1e-2)
x, y = torch.randn(40, 6), torch.randint(0, 2, (40,))
for _ in range(12):
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
