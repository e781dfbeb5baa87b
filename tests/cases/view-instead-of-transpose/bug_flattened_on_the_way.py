"""Flattened and viewed again, with the channels in another place."""

import torch
from torch import nn

torch.manual_seed(0)
images = torch.rand(64, 12, 12, 3)
labels = torch.randint(0, 4, (64,))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.head = nn.Linear(8, 4)

    def forward(self, x):
        n, h, w, c = x.shape
        flat = x.flatten(1)
        flat = (flat - flat.mean()) / flat.std()
        return self.head(self.body(flat.view(n, c, h, w)))  # <- cause


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(3):
    for xb, yb in zip(images.split(16), labels.split(16)):
        opt.zero_grad()
        nn.functional.cross_entropy(net(xb), yb).backward()
        opt.step()
