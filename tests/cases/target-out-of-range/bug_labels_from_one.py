"""Labels are counted from 1, classes from 0."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(5, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(16, 5)
labels = torch.randint(1, 4, (16,))  # <- cause
for step in range(3):
    loss = nn.functional.cross_entropy(model(x), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
