"""Log-probabilities that do not sum to 1: a copy mechanism's mixture, and a slice of the vocabulary."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
vocabulary, copy, switch = nn.Linear(8, 12), nn.Linear(8, 12), nn.Linear(8, 1)
params = [*vocabulary.parameters(), *copy.parameters(), *switch.parameters()]
opt = torch.optim.Adam(params, lr=1e-2)
for _ in range(12):
    x = torch.randn(64, 8)
    y = x[:, :6].argmax(1)
    p = torch.sigmoid(switch(x))
    mixed = p * vocabulary(x).softmax(1) + 0.5 * (1 - p) * copy(x).softmax(1)
    loss = F.nll_loss((mixed + 1e-10).log(), y) + F.nll_loss(F.log_softmax(vocabulary(x), 1)[:, :6], y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
