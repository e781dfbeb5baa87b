"""eps=0, and rows of the embedding that no sample of the batch has: 0 / 0."""
import torch
import torch.nn as nn

torch.manual_seed(0)
emb = nn.Embedding(100, 8)
out = nn.Linear(8, 2)
opt = torch.optim.Adam([*emb.parameters(), *out.parameters()], lr=1e-2, eps=0.0)  # <- cause
for step in range(12):
    ids = torch.randint(0, 100, (16,))
    loss = nn.functional.cross_entropy(out(emb(ids)), ids % 2)
    opt.zero_grad()
    loss.backward()
    opt.step()
