"""Shapes that broadcast, a lazy layer, and an error that is caught and gone around."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Conv1d(1, 4, 3), nn.Flatten(), nn.LazyLinear(3))
x, y = torch.randn(8, 1, 10), torch.randint(3, (8,))
model(x)
try:
    model(x[:, :, :5])
except RuntimeError:
    pass
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
weights = torch.tensor([1.0, 2.0, 1.0])
for step in range(12):
    loss = nn.functional.cross_entropy(model(x) + weights, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
