"""Bidirectional models whose targets are not the next element: tags, masked words, the words themselves."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Model(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.embed = nn.Embedding(12, width)
        self.rnn = nn.GRU(width, width // 2, batch_first=True, bidirectional=True)
        self.layer = nn.TransformerEncoderLayer(width, 2, 32, batch_first=True)
        self.tags, self.words = nn.Linear(width, 2), nn.Linear(width, 12)

    def forward(self, tokens):
        h = self.layer(self.rnn(self.embed(tokens))[0])
        return self.tags(h), self.words(h)


model = Model()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(6):
    tokens = torch.randint(1, 12, (8, 10))
    hidden = torch.rand(tokens.shape) < 0.3
    tags, words = model(tokens.masked_fill(hidden, 0))
    wanted = tokens.masked_fill(~hidden, -100)
    loss = F.cross_entropy(words.flatten(0, 1), wanted.flatten()) + F.cross_entropy(tags.mT, tokens % 2)
    loss = loss + 0.1 * F.cross_entropy(words.flatten(0, 1), tokens.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
