"""The loss is summed up over the batches, and backward is called on the sum of all so far."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
total = 0.0
for step in range(5):
    x = torch.randn(16, 6)
    total = total + nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))  # <- cause
    optimizer.zero_grad()
    total.backward()
    optimizer.step()
