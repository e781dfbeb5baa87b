"""Evaluation in evaluation mode."""

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


for _epoch in range(4):
    model.train()
    for i in range(0, 48, 12):
        optimizer.zero_grad()
        F.cross_entropy(model(x[i : i + 12]), y[i : i + 12]).backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        print(F.cross_entropy(model(x[48:]), y[48:]).item())
