"""VQ-VAE with the losses on the right tensors, and a codebook trained by averages only."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class VQ(nn.Module):
    def __init__(self, ema):
        super().__init__()
        self.ema = ema
        self.book = nn.Embedding(8, 4)
        if ema:
            self.book.weight.requires_grad_(False)

    def forward(self, z):
        idx = torch.cdist(z, self.book.weight).argmin(1)
        q = self.book(idx)
        loss = 0.25 * F.mse_loss(z, q.detach())
        if self.ema:
            with torch.no_grad():
                for k in idx.unique():
                    self.book.weight[k] = 0.9 * self.book.weight[k] + 0.1 * z[idx == k].mean(0)
        else:
            loss = loss + F.mse_loss(q, z.detach())
        return z + (q - z).detach(), loss


for ema in (False, True):
    enc, vq, dec = nn.Linear(6, 4), VQ(ema), nn.Linear(4, 6)
    opt = torch.optim.Adam([p for m in (enc, vq, dec) for p in m.parameters() if p.requires_grad], lr=1e-2)
    for step in range(5):
        x = torch.randn(32, 6)
        q, extra = vq(enc(x))
        loss = F.mse_loss(dec(q), x) + extra
        opt.zero_grad()
        loss.backward()
        opt.step()
