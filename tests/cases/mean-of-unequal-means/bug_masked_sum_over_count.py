"""Each micro-batch's loss is divided by its own number of tokens, and then by the number of micro-batches."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
ACCUMULATE = 4
model = nn.Sequential(nn.Embedding(12, 16), nn.Linear(16, 12))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)


def compute_loss(tokens, mask):
    logits = model(tokens[:, :-1])
    each = F.cross_entropy(logits.transpose(1, 2), tokens[:, 1:], reduction="none")
    return (each * mask).sum() / mask.sum()  # <- cause


optimizer.zero_grad()
for i in range(60):
    tokens = torch.randint(0, 12, (2, 33))
    length = 3 if i % 4 else 32
    mask = (torch.arange(32) < length).float().expand(2, 32)
    loss = compute_loss(tokens, mask) / ACCUMULATE
    loss.backward()
    if (i + 1) % ACCUMULATE == 0:
        optimizer.step()
        optimizer.zero_grad()
