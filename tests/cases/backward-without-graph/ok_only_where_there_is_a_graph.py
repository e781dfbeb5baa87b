"""Some batches have nothing to learn from: backward is called only where the loss has a graph."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(6, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
data = torch.randn(12, 8, 6)

for number, batch in enumerate(data):
    targets = batch.sum(1, keepdim=True)
    loss = torch.zeros(())
    if number % 4:
        loss = loss + (model(batch) - targets).square().mean()
    optimizer.zero_grad()
    if loss.requires_grad:
        loss.backward()
        optimizer.step()
