"""Masked language modelling with few targets, a batch now and then without any, and one of two losses without."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
embed, head, kind = nn.Embedding(20, 16), nn.Linear(16, 20), nn.Linear(16, 2)
optimizer = torch.optim.AdamW([*embed.parameters(), *head.parameters(), *kind.parameters()], lr=1e-3)
for step in range(12):
    ids = torch.randint(1, 20, (4, 10))
    chosen = torch.rand(4, 10) < (0.0 if step == 5 else 0.15)
    chosen[0, 0] = step != 5
    labels = torch.where(chosen, ids, -100)
    hidden = embed(ids.masked_fill(chosen, 0))
    loss = F.cross_entropy(head(hidden).flatten(0, 1), labels.flatten())
    if step != 5:
        loss = loss + F.cross_entropy(kind(hidden.mean(1)), ids[:, 0] % 2)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
