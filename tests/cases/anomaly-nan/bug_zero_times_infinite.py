"""A masked logarithm: the mask comes after log, whose slope at zero is infinite."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(10, 4)
with torch.autograd.detect_anomaly():
    for step in range(3):
        p = torch.relu(net(x))
        entropy = torch.where(p > 0, p * torch.log(p), torch.zeros(()))  # <- cause
        loss = entropy.sum(1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
