"""A tagger: words and tags are padded with 0, and nn.CrossEntropyLoss counts all positions."""
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence

torch.manual_seed(0)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(50, 16, padding_idx=0)
        self.lstm = nn.LSTM(16, 16, batch_first=True)
        self.out = nn.Linear(16, 6)

    def forward(self, words):
        return self.out(self.lstm(self.embed(words))[0])


def batch(n):
    words = [torch.randint(1, 50, (k,)) for k in [40, *torch.randint(3, 12, (n - 1,)).tolist()]]
    words = pad_sequence(words, batch_first=True)
    tags = torch.where(words > 0, words % 5 + 1, 0)
    return words, tags


model, criterion = Tagger(), nn.CrossEntropyLoss()  # <- cause
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(12):
    words, tags = batch(12)
    optimizer.zero_grad()
    loss = criterion(model(words).transpose(1, 2), tags)
    loss.backward()
    optimizer.step()
