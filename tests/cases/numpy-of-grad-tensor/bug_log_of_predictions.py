"""Predictions are kept for a plot, with their graph."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
history = []


def log(prediction):
    history.append(prediction.squeeze(1).numpy())  # <- cause


for step in range(3):
    x = torch.randn(8, 4)
    prediction = model(x)
    loss = (prediction - x.mean(1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    log(prediction)
