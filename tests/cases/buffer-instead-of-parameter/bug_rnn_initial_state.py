"""A learnable initial state, registered as a buffer."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class Tagger(nn.Module):
    def __init__(self, vocab, dim, tags):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.gru = nn.GRU(dim, dim, batch_first=True)
        h0 = torch.empty(1, 1, dim)
        nn.init.normal_(h0, std=0.1)
        self.register_buffer("h0", h0)  # <- cause
        self.out = nn.Linear(dim, tags)

    def forward(self, ids):
        h = self.h0.repeat(1, ids.shape[0], 1)
        out, _ = self.gru(self.embed(ids), h)
        return self.out(out)


model = Tagger(20, 8, 4)
opt = torch.optim.AdamW(model.parameters(), 1e-2)
ids = torch.randint(0, 20, (16, 6))
for _ in range(12):
    loss = F.cross_entropy(model(ids).flatten(0, 1), (ids % 4).flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
