"""Token numbers go into an embedding as floating-point numbers."""
import torch
from torch import nn

torch.manual_seed(0)
rows = [[1, 2.0, 3], [4, 5, 6]]
model = nn.Sequential(nn.Embedding(10, 4), nn.Flatten(), nn.Linear(12, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
ids = torch.tensor(rows)  # <- cause
for step in range(3):
    loss = model(ids).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
