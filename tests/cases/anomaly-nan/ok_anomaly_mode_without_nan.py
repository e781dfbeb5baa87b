"""Anomaly detection switched on over a training without NaN."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(10, 4)
with torch.autograd.detect_anomaly():
    for step in range(12):
        h = net(x)
        loss = (h.square().sum(1) + 1e-6).sqrt().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
