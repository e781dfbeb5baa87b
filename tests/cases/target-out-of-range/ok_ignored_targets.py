"""Targets to be ignored, given as -100, and all others in range."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(5, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(16, 5)
labels = torch.randint(3, (16,))
labels[::4] = -100
for step in range(12):
    loss = nn.functional.cross_entropy(model(x), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
