"""Checkpointing done right: non-reentrant, and reentrant behind an input that requires grad."""
import torch
import torch.nn as nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

torch.manual_seed(0)
stem = nn.Linear(6, 16)
blocks = nn.Sequential(*(nn.Sequential(nn.Linear(16, 16), nn.GELU(), nn.Dropout(0.1)) for _ in range(4)))
head = nn.Linear(16, 2)
opt = torch.optim.Adam([*stem.parameters(), *blocks.parameters(), *head.parameters()], lr=1e-3)
for step in range(12):
    x, y = torch.randn(16, 6), torch.randint(0, 2, (16,))
    h = checkpoint(stem, x, use_reentrant=False)
    h = checkpoint(blocks[0], h, use_reentrant=True)
    h = checkpoint_sequential(blocks[1:], 2, h, use_reentrant=bool(step % 2))
    loss = nn.functional.cross_entropy(head(h), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
