"""Weights are kept positive by clamping them in place, with autograd on."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(6, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.rand(32, 6)
y = x.sum(1, keepdim=True)


def positive(layer):
    layer.weight.clamp_(min=0.0)  # <- cause


for step in range(3):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    positive(model)
