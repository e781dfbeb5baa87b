"""log_softmax over the time steps of [batch, time, classes]."""

import torch
import torch.nn.functional as F
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb, self.out = nn.Embedding(30, 12), nn.Linear(12, 5)

    def forward(self, x):
        scores = self.out(self.emb(x))
        return F.log_softmax(scores, dim=1)  # <- cause


torch.manual_seed(0)
model = Tagger()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(12):
    x, y = torch.randint(0, 30, (6, 9)), torch.randint(0, 5, (6, 9))
    loss = F.nll_loss(model(x).view(-1, 5), y.view(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
