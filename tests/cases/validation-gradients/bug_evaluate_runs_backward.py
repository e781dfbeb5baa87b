"""A copy of the training loop serves for the validation, backward included; zero_grad comes after the step."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(96, 6)
y = (x @ torch.randn(6, 3)).argmax(1)
held_x, held_y = x[:32], y[:32]
model = nn.Sequential(nn.Linear(6, 24), nn.Tanh(), nn.Linear(24, 3))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
criterion = nn.CrossEntropyLoss()


def evaluate():
    model.eval()
    total = 0.0
    for xb, yb in zip(held_x.split(16), held_y.split(16)):
        loss = criterion(model(xb), yb)
        loss.backward()  # <- cause
        total += loss.item()
    return total


for _ in range(10):
    model.train()
    for rows in torch.randperm(64).split(16):
        criterion(model(x[32:][rows]), y[32:][rows]).backward()
        opt.step()
        opt.zero_grad()
    evaluate()
