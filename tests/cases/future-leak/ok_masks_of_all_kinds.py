"""Causal attention with every kind of mask."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Block(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.attention = nn.MultiheadAttention(width, 2, batch_first=True)
        self.layer = nn.TransformerEncoderLayer(width, 2, 32, batch_first=True)
        self.register_buffer("tril", torch.tril(torch.ones(10, 10)))

    def forward(self, x):
        t = x.shape[1]
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        scores = (q @ k.transpose(1, 2) / 4).masked_fill(self.tril[:t, :t] == 0, float("-inf"))
        x = x + scores.softmax(-1) @ v
        scores = torch.einsum("bqd,bkd->bqk", q, k) + (1 - self.tril[:t, :t]) * -1e9
        x = x + F.softmax(scores, dim=-1) @ v
        x = x + F.scaled_dot_product_attention(q[:, None], k[:, None], v[:, None], is_causal=True)[:, 0]
        x = x + F.scaled_dot_product_attention(q, k, v, attn_mask=self.tril[:t, :t].bool())
        mask = nn.Transformer.generate_square_subsequent_mask(t)
        x = x + self.attention(x, x, x, attn_mask=mask, need_weights=False)[0]
        return self.layer(x, src_mask=torch.ones(t, t).triu(1).bool())


embed, block, out = nn.Embedding(9, 16), Block(), nn.Linear(16, 9)
optimizer = torch.optim.Adam([p for m in (embed, block, out) for p in m.parameters()], lr=1e-3)
for _ in range(6):
    tokens = torch.randint(0, 9, (8, 11))
    loss = F.cross_entropy(out(block(embed(tokens[:, :-1]))).flatten(0, 1), tokens[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
