"""The images go into a linear layer that was made for them as vectors."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(28 * 28, 32), nn.ReLU(), nn.Linear(32, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    images, labels = torch.randn(16, 1, 28, 28), torch.randint(10, (16,))
    loss = nn.functional.cross_entropy(model(images), labels)  # <- cause
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
