"""Class numbers are read as floating-point numbers."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(5, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(16, 5)
labels = torch.tensor([0.0, 1.0, 2.0, 1.0] * 4)  # <- cause
for step in range(3):
    loss = nn.functional.cross_entropy(model(x), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
