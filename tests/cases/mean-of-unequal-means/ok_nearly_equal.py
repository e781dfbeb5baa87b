"""Sequences of ordinary lengths, and a last micro-batch that is half full."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
model = nn.Sequential(nn.Embedding(12, 16), nn.Linear(16, 12))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(12):
    optimizer.zero_grad()
    for size in (8, 8, 8, 4):
        tokens = torch.randint(0, 12, (size, 31))
        mask = torch.arange(30) < torch.randint(5, 31, (size, 1))
        logits = model(tokens[:, :-1])
        loss = F.cross_entropy(logits[mask], tokens[:, 1:][mask])
        (loss / 4).backward()
    optimizer.step()
