"""Batch first throughout: encoder stack, class token, positions, cross attention, heads by hand."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Model(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.embed = nn.Embedding(12, width)
        self.positions = nn.Embedding(10, width)
        self.first = nn.Parameter(torch.randn(1, 1, width))
        layer = nn.TransformerEncoderLayer(width, 2, 32, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.queries = nn.Parameter(torch.randn(3, width))
        self.cross = nn.MultiheadAttention(width, 2, batch_first=True)
        self.qkv = nn.Linear(width, 3 * width)
        self.head = nn.Linear(width, 2)

    def forward(self, tokens):
        b, t = tokens.shape
        x = self.embed(tokens) + self.positions(torch.arange(t))
        x = self.encoder(torch.cat([self.first.expand(b, -1, -1), x], 1))
        q, k, v = (y.view(b, t + 1, 4, 4).transpose(1, 2) for y in self.qkv(x).chunk(3, dim=-1))
        x = x + F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(b, t + 1, 16)
        found, _ = self.cross(self.queries.expand(b, -1, -1), x, x)
        return self.head(found.mean(1) + x[:, 0])


model = Model()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(6):
    tokens = torch.randint(0, 12, (10, 10))
    loss = F.cross_entropy(model(tokens), (tokens[:, 1:] == tokens[:, :1]).any(1).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
