"""A mask over tokens that comes after the mean: the padding still counts."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
embed, out = nn.Embedding(20, 8), nn.Linear(8, 20)
optimizer = torch.optim.Adam([*embed.parameters(), *out.parameters()], lr=1e-3)
for step in range(12):
    tokens = torch.randint(1, 20, (6, 10))
    length = torch.randint(7, 11, (6, 1))
    mask = (torch.arange(10) < length).float()
    tokens = (tokens * mask).long()
    logits = out(embed(tokens))
    loss = F.cross_entropy(logits.transpose(1, 2), tokens)  # <- cause
    loss = (loss * mask).sum() / mask.sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
