"""A block takes over momentum=0.9 from another library."""

import torch
from torch import nn


class ConvBlock(nn.Module):
    def __init__(self, inside, outside):
        super().__init__()
        self.conv = nn.Conv2d(inside, outside, 3, bias=False)
        self.bn = nn.BatchNorm2d(outside, eps=1e-3, momentum=0.9)  # <- cause

    def forward(self, x):
        return torch.relu(self.bn(self.conv(x)))


torch.manual_seed(0)
model = nn.Sequential(
    ConvBlock(3, 8), ConvBlock(8, 8), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 4)
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
model.train()
for _ in range(12):
    x, y = torch.randn(16, 3, 8, 8) + torch.randn(16, 1, 1, 1), torch.randint(0, 4, (16,))
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()
