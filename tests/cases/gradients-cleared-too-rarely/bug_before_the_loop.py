"""zero_grad only once, in front of the loop; a function that trains for an epoch."""

import torch
import torch.nn.functional as F
from torch import nn


def train_one_epoch(model, batches, optimizer):
    model.train()
    optimizer.zero_grad()  # <- cause
    for x, y in batches:
        F.cross_entropy(model(x), y).backward()
        optimizer.step()


torch.manual_seed(0)
x = torch.randn(400, 6)
batches = [(part, (part[:, 0] > 0).long()) for part in x.split(10)]
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
for epoch in range(2):
    train_one_epoch(model, batches, optimizer)
