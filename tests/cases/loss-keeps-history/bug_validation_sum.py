"""Validation without no_grad adds up the losses themselves: all their graphs are kept."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 3))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()
x = torch.randn(320, 16)
y = x[:, :3].argmax(1)


def validate():
    model.eval()
    total = 0.0
    for part, labels in zip(x[160:].split(32), y[160:].split(32)):
        total += criterion(model(part), labels)  # <- cause
    return total / 5


for epoch in range(3):
    model.train()
    for part, labels in zip(x[:160].split(32), y[:160].split(32)):
        optimizer.zero_grad()
        criterion(model(part), labels).backward()
        optimizer.step()
    validate()
