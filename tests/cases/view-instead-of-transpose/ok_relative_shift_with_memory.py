"""Relative attention over a memory: a column of zeros, two views and a slice, with more keys than queries."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


def shift(scores):
    zeros = torch.zeros(scores.shape[0], 1, *scores.shape[2:])
    padded = torch.cat([zeros, scores], dim=1)
    padded = padded.view(scores.shape[1] + 1, scores.shape[0], *scores.shape[2:])
    return padded[1:].view_as(scores)


class Relative(nn.Module):
    def __init__(self, width=16, heads=2):
        super().__init__()
        self.heads = heads
        self.query, self.both = nn.Linear(width, width), nn.Linear(width, 2 * width)
        self.far = nn.Parameter(torch.randn(12, heads, width // heads))

    def forward(self, x, memory):
        time, batch, width = x.shape
        both = self.both(torch.cat([memory, x]))
        k, v = (y.reshape(len(both), batch, self.heads, -1) for y in both.chunk(2, -1))
        q = self.query(x).view(time, batch, self.heads, -1)
        scores = torch.einsum("ibnd,jbnd->ijbn", q, k) + shift(torch.einsum("ibnd,jnd->ijbn", q, self.far))
        later = torch.ones(time, len(both)).triu(1 + len(memory)).bool()
        weights = scores.masked_fill(later[:, :, None, None], float("-inf")).softmax(dim=1)
        return torch.einsum("ijbn,jbnd->ibnd", weights, v).reshape(time, batch, width)


embed, attend, head = nn.Embedding(9, 16), Relative(), nn.Linear(16, 9)
optimizer = torch.optim.Adam([p for m in (embed, attend, head) for p in m.parameters()], lr=1e-3)
text, memory = torch.randint(0, 9, (60, 4)), torch.zeros(4, 4, 16)
for start in range(0, 48, 8):
    h = embed(text[start : start + 8])
    loss = F.cross_entropy(head(attend(h, memory)).flatten(0, 1), text[start + 1 : start + 9].flatten())
    memory = h[-4:].detach()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
