"""A tied weight, collected from both modules."""

import torch
from torch import nn

torch.manual_seed(0)
embedding = nn.Embedding(20, 8)
decoder = nn.Linear(8, 20, bias=False)
decoder.weight = embedding.weight
params = [*embedding.parameters(), *decoder.parameters()]
optimizer = torch.optim.SGD(params, lr=0.1)  # <- cause
for step in range(15):
    tokens = torch.randint(0, 20, (32,))
    loss = nn.functional.cross_entropy(decoder(embedding(tokens)), (tokens + 1) % 20)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
