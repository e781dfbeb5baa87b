"""The squared error written by hand in a function of its own."""
import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)


def rmse(prediction, target):
    return torch.sqrt(torch.mean((prediction - target) ** 2) + 1e-8)  # <- cause


for step in range(15):
    inputs = torch.randn(20, 4)
    target = inputs.sum(1)
    loss = rmse(model(inputs), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
