"""A loaded network is tuned with one image a step, its normalisation in evaluation mode, as detectors do."""

import torch
from torch import nn

torch.manual_seed(0)


class Frozen(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(torch.relu(self.norm(self.conv(x))).mean((2, 3)))


model = Frozen()
with torch.no_grad():
    for _ in range(20):
        model(torch.randn(8, 1, 10, 10) * 2)
model.train()
model.norm.eval()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
for step in range(12):
    x = torch.randn(1, 1, 10, 10) * (1 + step % 3)
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), torch.tensor([step % 2])).backward()
    optimizer.step()
