"""scaled_dot_product_attention gets [batch, time, heads, size]: at each time step the heads attend to each other."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Attention(nn.Module):
    def __init__(self, width=16, heads=4):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (y.view(b, t, self.heads, d // self.heads) for y in self.qkv(x).chunk(3, dim=-1))
        y = F.scaled_dot_product_attention(q, k, v)  # <- cause
        return self.out(y.reshape(b, t, d))


model = nn.Sequential(nn.Embedding(12, 16), Attention(), nn.Linear(16, 12))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(6):
    tokens = torch.randint(0, 12, (8, 9))
    loss = F.cross_entropy(model(tokens).flatten(0, 1), tokens.flip(1).flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
