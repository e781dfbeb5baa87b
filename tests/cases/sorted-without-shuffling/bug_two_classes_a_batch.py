"""Ten classes in order: a batch holds one or two of them. The labels are a list of the data set."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Digits(Dataset):
    def __init__(self, n):
        self.targets = sorted(i % 10 for i in range(n))
        self.pixels = torch.randn(n, 12) + torch.tensor(self.targets)[:, None] * 0.3

    def __len__(self):
        return len(self.targets)

    def __getitem__(self, i):
        return self.pixels[i], self.targets[i]


def loaders(n):
    return DataLoader(Digits(n), batch_size=32, shuffle=False)  # <- cause


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 10))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for epoch in range(2):
    for x, y in loaders(500):
        opt.zero_grad()
        nn.CrossEntropyLoss()(net(x), y).backward()
        opt.step()
