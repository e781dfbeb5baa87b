"""The ways that keep the classes together."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
conv, emb, out = nn.Conv2d(1, 3, 3, padding=1), nn.Embedding(30, 12), nn.Linear(12, 5)
opt = torch.optim.Adam([*conv.parameters(), *emb.parameters(), *out.parameters()], lr=1e-2)
for _ in range(12):
    x, masks = torch.randn(2, 1, 6, 6), torch.randint(0, 3, (2, 6, 6))
    maps = conv(x)
    loss = F.cross_entropy(maps.permute(0, 2, 3, 1).reshape(-1, 3), masks.view(-1))
    loss = loss + F.cross_entropy(maps.view(2, 3, -1), masks.view(2, -1)) + F.cross_entropy(maps, masks)
    tokens, y = torch.randint(0, 30, (4, 7)), torch.randint(0, 5, (4, 7))
    scores = out(emb(tokens))
    loss = loss + F.cross_entropy(scores.view(-1, 5), y.view(-1)) + F.cross_entropy(scores.transpose(1, 2), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
