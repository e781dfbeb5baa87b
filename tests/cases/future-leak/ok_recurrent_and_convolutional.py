"""An LSTM, a convolution that is padded on the left, and one that is cut off on the right."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)


class Model(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.embed, self.drop = nn.Embedding(9, width), nn.Dropout(0.1)
        self.rnn = nn.LSTM(width, width, 2, batch_first=True)
        self.left, self.cut = nn.Conv1d(width, width, 3), nn.Conv1d(width, width, 3, padding=4, dilation=2)
        self.norm, self.out = nn.LayerNorm(width), nn.Linear(width, 9)

    def forward(self, tokens):
        h, _ = self.rnn(self.drop(self.embed(tokens)))
        y = h.transpose(1, 2)
        y = self.left(F.pad(y, (2, 0))).relu() + self.cut(y)[:, :, : y.shape[2]].relu()
        return self.out(self.norm(y.transpose(1, 2)))


model = Model()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(6):
    tokens = torch.randint(0, 9, (8, 11))
    scores = model(tokens)[:, :-1]
    loss = F.cross_entropy(scores.transpose(1, 2), tokens[:, 1:])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
