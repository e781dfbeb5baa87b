"""F.nll_loss over the flattened scores of a language model."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
embed, rnn, head = nn.Embedding(20, 16), nn.LSTM(16, 16, batch_first=True), nn.Linear(16, 20)
params = [*embed.parameters(), *rnn.parameters(), *head.parameters()]
opt = torch.optim.Adam(params, lr=1e-2)
for _ in range(12):
    tokens = torch.randint(0, 20, (8, 11))
    scores = head(rnn(embed(tokens[:, :-1]))[0])
    loss = F.nll_loss(scores.reshape(-1, 20), tokens[:, 1:].reshape(-1))  # <- cause
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(params, 1.0)
    opt.step()
print(loss.item())
