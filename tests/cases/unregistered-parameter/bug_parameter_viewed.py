"""Codebook made as a Parameter and viewed into heads at once."""

import torch
import torch.nn as nn

torch.manual_seed(0)


def make_queries(heads, dim):
    flat = nn.Parameter(torch.randn(heads * dim) / dim**0.5)
    return flat.view(heads, dim)  # <- cause


class AttentionPool(nn.Module):
    def __init__(self, heads=2, dim=6):
        super().__init__()
        self.queries = make_queries(heads, dim)  # <- cause
        self.key = nn.Linear(dim, dim)
        self.out = nn.Linear(heads * dim, 1)

    def forward(self, x):
        att = torch.softmax(self.key(x) @ self.queries.t(), dim=1)
        return self.out((att.transpose(1, 2) @ x).flatten(1))


pool = AttentionPool()
opt = torch.optim.SGD(pool.parameters(), lr=0.1)
x = torch.randn(20, 5, 6)
y = x.amax((1, 2)).unsqueeze(1)
for _ in range(12):
    opt.zero_grad()
    loss = (pool(x) - y).abs().mean()
    loss.backward()
    opt.step()
