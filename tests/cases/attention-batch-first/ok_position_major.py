"""Positions first throughout, with a table [positions, 1, width]; translation with nn.Transformer in its default layout."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


class Translate(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.embed = nn.Embedding(12, width)
        self.register_buffer(
            "table", torch.sin(torch.arange(20.0)[:, None, None] / torch.arange(1.0, width + 1))
        )
        self.transformer = nn.Transformer(width, 2, 1, 1, 32, dropout=0.0)
        self.out, self.kind = nn.Linear(width, 12), nn.Linear(width, 2)

    def forward(self, source, target):
        x, y = (self.embed(z) + self.table[: len(z)] for z in (source, target))
        mask = nn.Transformer.generate_square_subsequent_mask(len(y))
        h = self.transformer(x, y, tgt_mask=mask)
        return self.out(h), self.kind(h[0])


pairs = torch.randint(0, 12, (48, 8))
model = Translate()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for (rows,) in DataLoader(TensorDataset(pairs), batch_size=8, shuffle=True):
    source = rows.t()
    words, kind = model(source, source[:-1])
    loss = F.cross_entropy(words.reshape(-1, 12), source[1:].reshape(-1)) + F.cross_entropy(
        kind, rows[:, 0] % 2
    )
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
