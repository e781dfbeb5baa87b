"""A DataLoader without batch_size gives one sample at a time; the network is made of blocks."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Images(Dataset):
    def __init__(self, n):
        self.y = torch.randint(0, 2, (n,))
        self.x = torch.randn(n, 3, 8, 8) * 0.5 + 2 * torch.randn(n, 1, 1, 1) + self.y.view(n, 1, 1, 1)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class Block(nn.Module):
    def __init__(self, inside, outside):
        super().__init__()
        self.conv = nn.Conv2d(inside, outside, 3, padding=1)
        self.norm = nn.BatchNorm2d(outside)  # <- cause

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x)))


torch.manual_seed(0)
loader = DataLoader(Images(14), shuffle=True)  # <- cause
model = nn.Sequential(Block(3, 6), Block(6, 6), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(6, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for x, y in loader:
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
print(loss.item())
