"""Gradient accumulation over uneven batches, with two parameter groups and value clipping."""

import torch
from torch import nn

torch.manual_seed(1)
model = nn.ModuleDict({"embed": nn.Linear(5, 12), "heads": nn.ModuleList([nn.Linear(12, 1), nn.Linear(12, 2)])})
groups = [
    {"params": model["embed"].parameters(), "lr": 0.02},
    {"params": [p for h in model["heads"] for p in h.parameters()], "weight_decay": 0.01},
]
optimizer = torch.optim.NAdam(groups, lr=0.01)
batches = [torch.randn(n, 5) for n in (8, 8, 8, 3)] * 6
for i, x in enumerate(batches):
    h = model["embed"](x).relu()
    a, b = (head(h) for head in model["heads"])
    loss = (a.squeeze(1) - x[:, 0]).abs().mean() + nn.functional.cross_entropy(b, (x[:, 1] > 0).long())
    (loss / 4).backward()
    if (i + 1) % 4 == 0:
        nn.utils.clip_grad_value_(model.parameters(), 0.5)
        optimizer.step()
        optimizer.zero_grad()
    print(loss.item())
