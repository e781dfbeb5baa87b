"""Codebooks as parameters, the loss in a helper given the quantised output."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class PQ(nn.Module):
    def __init__(self, groups=2, codes=8, dim=4):
        super().__init__()
        self.books = nn.Parameter(torch.randn(groups, codes, dim // groups) * 0.5)

    def forward(self, z):
        parts = z.view(len(z), self.books.size(0), -1)
        d = ((parts.unsqueeze(2) - self.books) ** 2).sum(-1)
        idx = d.argmin(-1)
        q = torch.stack([book[i] for book, i in zip(self.books, idx.unbind(1))], 1).flatten(1)
        q_st = z + (q - z).detach()
        loss = F.mse_loss(q_st, z.detach())  # <- cause
        loss = loss + 0.25 * F.mse_loss(z, q.detach())
        return q_st, loss


enc, pq, dec = nn.Linear(6, 4), PQ(), nn.Linear(4, 6)
opt = torch.optim.Adam([*enc.parameters(), *pq.parameters(), *dec.parameters()], lr=1e-2)
for step in range(15):
    x = torch.randn(32, 6)
    q, extra = pq(enc(x))
    loss = F.mse_loss(dec(q), x) + extra
    opt.zero_grad()
    loss.backward()
    opt.step()
