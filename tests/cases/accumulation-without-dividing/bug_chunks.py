"""A large batch in chunks, each with a mean loss."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(6, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(12):
    x = torch.randn(64, 6)
    optimizer.zero_grad()
    for part in x.chunk(4):
        loss = nn.functional.cross_entropy(model(part), (part[:, 0] > 0).long())  # <- cause
        loss.backward()  # <- cause
    optimizer.step()
