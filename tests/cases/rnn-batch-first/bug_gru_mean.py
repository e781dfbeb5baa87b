"""The mean over time is taken, but the GRU ran along the batch."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Sentiment(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 16)
        self.gru = nn.GRU(16, 12, bidirectional=True)  # <- cause
        self.classify = nn.Linear(24, 2)

    def forward(self, tokens):
        states, _ = self.gru(self.embedding(tokens))
        return self.classify(states.mean(dim=1))


def train_one_epoch(model, batches, optimizer):
    for tokens, labels in batches:
        loss = F.cross_entropy(model(tokens), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


tokens = torch.randint(0, 50, (8, 16, 9))
batches = [(t, (t[:, 0] < t[:, -1]).long()) for t in tokens]
model = Sentiment()
print(train_one_epoch(model, batches, torch.optim.Adam(model.parameters(), lr=1e-2)))
