"""Stochastic gradient descent by hand, row by row."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv1d(2, 8, 3)
        self.bn1 = nn.BatchNorm1d(8)  # <- cause
        self.fc = nn.Linear(8, 1)

    def forward(self, x):
        return self.fc(torch.relu(self.bn1(self.conv1(x))).mean(-1))


torch.manual_seed(0)
signals = torch.randn(30, 2, 20) + 3 * torch.randn(30, 1, 1)
targets = signals.mean((1, 2)).unsqueeze(1)
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for i in range(12):
    x, y = signals[i : i + 1], targets[i : i + 1]  # <- cause
    optimizer.zero_grad()
    nn.functional.mse_loss(net(x), y).backward()
    optimizer.step()
