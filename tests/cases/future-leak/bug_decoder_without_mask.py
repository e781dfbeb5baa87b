"""Translation: the decoder gets no target mask."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Translate(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.source, self.target = nn.Embedding(12, width), nn.Embedding(12, width)
        self.transformer = nn.Transformer(width, 2, 1, 1, 32, dropout=0.1, batch_first=True)
        self.out = nn.Linear(width, 12)

    def forward(self, source, target):
        return self.out(self.transformer(self.source(source), self.target(target)))  # <- cause


def train_one_epoch(model, optimizer):
    for _ in range(6):
        source = torch.randint(2, 12, (8, 7))
        target = torch.cat([torch.zeros(8, 1).long(), source.flip(1), torch.ones(8, 1).long()], 1)
        scores = model(source, target[:, :-1])
        loss = F.cross_entropy(scores.reshape(-1, 12), target[:, 1:].reshape(-1), ignore_index=1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


model = Translate()
print(train_one_epoch(model, torch.optim.Adam(model.parameters(), lr=1e-3)))
