"""A token number added later has no row in the embedding."""
import torch
from torch import nn

torch.manual_seed(0)
vocabulary = {"<pad>": 0, "the": 1, "cat": 2, "sat": 3}
model = nn.Sequential(nn.Embedding(len(vocabulary), 4), nn.Flatten(), nn.Linear(12, 2))  # <- cause
vocabulary["<unk>"] = 4
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
ids = torch.tensor([[1, 2, 3], [1, 4, 3]])
for step in range(3):
    loss = nn.functional.cross_entropy(model(ids), torch.tensor([0, 1]))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
