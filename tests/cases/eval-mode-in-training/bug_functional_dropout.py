"""Dropout by function that heeds self.training; the epoch's function does not call train()."""

import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(10, 32)
        self.fc2 = nn.Linear(32, 3)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        x = F.dropout(x, 0.5, self.training)
        return self.fc2(x)


def train_one_epoch(model, batches, optimizer):
    for x, y in batches:
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()


def test(model, x, y):
    model.eval()  # <- cause
    with torch.no_grad():
        return F.cross_entropy(model(x), y).item()


torch.manual_seed(0)
data = [(torch.randn(16, 10), torch.randint(0, 3, (16,))) for _ in range(5)]
net = Net()
adam = torch.optim.Adam(net.parameters())
for epoch in range(5):
    train_one_epoch(net, data, adam)
    print(epoch, test(net, *data[0]))
