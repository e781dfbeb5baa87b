"""The attention block's result is thrown away: the input goes on instead."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.attn = nn.MultiheadAttention(dim, 2, batch_first=True)
        self.norm = nn.LayerNorm(dim)
        self.ff = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        a, _ = self.attn(x, x, x)
        self.norm(x + a)  # <- cause
        return x + self.ff(x)


net = nn.Sequential(nn.Linear(3, 8), Block(8), nn.Linear(8, 1))
opt = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=0.0)
x = torch.randn(10, 5, 3)
y = x.mean(1, keepdim=True).sum(-1, keepdim=True).expand(-1, 5, -1)
for _ in range(12):
    opt.zero_grad()
    nn.functional.mse_loss(net(x), y).backward()
    opt.step()
