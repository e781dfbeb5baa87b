"""VQ with a codebook that an exponential moving average keeps up to date."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class VQ(nn.Module):
    def __init__(self, n=8, d=4):
        super().__init__()
        self.register_buffer("embed", torch.randn(n, d))
        self.register_buffer("count", torch.ones(n))
        self.register_buffer("total", self.embed.clone())

    def forward(self, z):
        idx = torch.cdist(z, self.embed).argmin(1)
        q = F.embedding(idx, self.embed)
        if self.training:
            with torch.no_grad():
                onehot = F.one_hot(idx, len(self.embed)).float()
                self.count.mul_(0.9).add_(onehot.sum(0), alpha=0.1)
                self.total.mul_(0.9).add_(onehot.t() @ z, alpha=0.1)
                self.embed.copy_(self.total / self.count.clamp(min=1e-3).unsqueeze(1))
        return z + (q - z).detach(), F.mse_loss(z, q.detach())


enc, dec, vq = nn.Linear(6, 4), nn.Linear(4, 6), VQ()
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], 1e-2)
x = torch.randn(64, 6)
for _ in range(12):
    q, commit = vq(enc(x))
    loss = F.mse_loss(dec(q), x) + 0.25 * commit
    opt.zero_grad()
    loss.backward()
    opt.step()
