"""A tied weight that model.parameters() names once, and two groups that share nothing."""

import torch
from torch import nn

torch.manual_seed(0)
embedding = nn.Embedding(20, 8)
decoder = nn.Linear(8, 20)
decoder.weight = embedding.weight
model = nn.Sequential(embedding, decoder)
weights = [p for p in model.parameters() if p.dim() > 1]
biases = [p for p in model.parameters() if p.dim() == 1]
optimizer = torch.optim.SGD([{"params": weights}, {"params": biases, "lr": 0.2}], lr=0.1)
for step in range(15):
    tokens = torch.randint(0, 20, (32,))
    loss = nn.functional.cross_entropy(model(tokens), (tokens + 1) % 20)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
