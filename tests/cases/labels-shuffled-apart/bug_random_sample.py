"""random.sample draws another order for each of the two lists."""

import random

import torch
from torch import nn

torch.manual_seed(0)
data = torch.randn(400, 6)
rows, labels = data.tolist(), (data[:, :2].sum(1) > 0).float().tolist()
rows = random.sample(rows, k=len(rows))  # <- cause
labels = random.sample(labels, k=len(labels))  # <- cause
x, y = torch.tensor(rows), torch.tensor(labels)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for start in range(0, 400, 20):
    optimizer.zero_grad()
    scores = model(x[start : start + 20]).squeeze(1)
    nn.functional.binary_cross_entropy_with_logits(scores, y[start : start + 20]).backward()
    optimizer.step()
