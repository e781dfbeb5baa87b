"""Orthogonal random features for attention and a fixed rotation in a flow."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class RandomFeatureAttention(nn.Module):
    def __init__(self, dim, features):
        super().__init__()
        self.qkv = nn.Linear(dim, 3 * dim)
        basis = torch.linalg.qr(torch.randn(features, features))[0][:dim]
        self.register_buffer("projection", basis * features**0.5)
        self.register_buffer("rotation", torch.linalg.qr(torch.randn(dim, dim)).Q)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        q, k = torch.exp(q @ self.projection * 0.1), torch.exp(k @ self.projection * 0.1)
        out = q @ (k.transpose(1, 2) @ v) / (q @ k.sum(1).unsqueeze(-1))
        return out @ self.rotation


net = nn.Sequential(nn.Linear(3, 8), RandomFeatureAttention(8, 16), nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters(), 1e-3)
x = torch.randn(8, 10, 3)
for _ in range(12):
    loss = (net(x) - x.sum(-1, keepdim=True)).abs().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
