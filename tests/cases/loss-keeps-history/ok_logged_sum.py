"""A running loss that keeps the (freed) graph of each training step for the log: a few KB a step, until the epoch ends.
And a validation under no_grad."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(10, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
for epoch in range(3):
    running, total = 0.0, 0.0
    for _ in range(5):
        x = torch.randn(32, 10)
        loss = criterion(model(x), x[:, :3].argmax(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        running += loss
    with torch.no_grad():
        for _ in range(4):
            x = torch.randn(32, 10)
            total += criterion(model(x), x[:, :3].argmax(1))
