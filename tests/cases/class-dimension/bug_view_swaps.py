"""[batch, time, classes] brought to [batch, classes, time] by view."""

import torch
import torch.nn.functional as F
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(30, 12)
        self.rnn = nn.LSTM(12, 16, batch_first=True)
        self.out = nn.Linear(16, 5)

    def forward(self, x):
        scores = self.out(self.rnn(self.emb(x))[0])
        return scores.view(x.size(0), 5, x.size(1))  # <- cause


torch.manual_seed(0)
model = Tagger()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(12):
    x, y = torch.randint(0, 30, (6, 9)), torch.randint(0, 5, (6, 9))
    loss = F.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
