"""A function that trains for one batch makes its own optimizer; SGD with momentum."""

import torch
from torch import nn


def train_step(model, x, y, lr=0.05):
    optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)  # <- cause
    optimizer.zero_grad()
    loss = nn.CrossEntropyLoss()(model(x), y)
    loss.backward()
    optimizer.step()
    return loss.item()


torch.manual_seed(0)
model = nn.Linear(6, 3)
for epoch in range(3):
    for _ in range(10):
        x = torch.randn(16, 6)
        train_step(model, x, x[:, :3].argmax(1))
