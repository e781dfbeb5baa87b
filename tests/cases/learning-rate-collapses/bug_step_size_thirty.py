"""StepLR(step_size=30) in epochs, stepped per batch: the first drop comes after the first window."""

import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(400, 4)
y = (x[:, 0] * x[:, 1] > 0).long()
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=30, gamma=0.1)


def train_epoch():
    for xb, yb in zip(x.split(10), y.split(10)):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(xb), yb)
        loss.backward()
        optimizer.step()
        scheduler.step()  # <- cause


for epoch in range(20):
    train_epoch()
