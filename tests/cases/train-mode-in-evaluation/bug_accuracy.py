"""Accuracy by a decorated function, every few steps."""

import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.bn, self.drop, self.fc2 = (
            nn.Linear(8, 32),
            nn.BatchNorm1d(32),
            nn.Dropout(0.2),
            nn.Linear(32, 3),
        )

    def forward(self, x):
        return self.fc2(self.drop(F.relu(self.bn(self.fc1(x)))))


torch.manual_seed(0)
model = Net()
x, y = torch.randn(60, 8), torch.randint(0, 3, (60,))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)


@torch.no_grad()  # <- cause
def accuracy(net, inputs, labels):
    return (net(inputs).argmax(1) == labels).float().mean().item()


model.train()
for step in range(12):
    pick = torch.randint(0, 48, (16,))
    optimizer.zero_grad()
    F.cross_entropy(model(x[pick]), y[pick]).backward()
    optimizer.step()
    if step % 4 == 3:
        print(step, accuracy(model, x[48:], y[48:]))
