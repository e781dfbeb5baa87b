"""log_softmax over what is a softmax already, with nll_loss: a policy head with two normalisations."""

import torch
import torch.nn.functional as F
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(50, 16)
        self.rnn = nn.GRU(16, 16, batch_first=True)
        self.out = nn.Linear(16, 7)

    def forward(self, tokens):
        h, _ = self.rnn(self.emb(tokens))
        tags = torch.softmax(self.out(h), dim=2)  # <- cause
        return F.log_softmax(tags, dim=2)


torch.manual_seed(0)
model = Tagger()
loss_fn = nn.NLLLoss(ignore_index=0)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(12):
    tokens, tags = torch.randint(0, 50, (8, 9)), torch.randint(1, 7, (8, 9))
    scores = model(tokens)
    loss = loss_fn(scores.view(-1, 7), tags.view(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
