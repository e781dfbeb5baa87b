"""Unfreezing the last block with module.requires_grad = True inside a helper."""

import torch
import torch.nn as nn

torch.manual_seed(0)


def unfreeze(module):
    for child in module.children():
        child.requires_grad = True  # <- cause


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(6, 12)
        self.blocks = nn.Sequential(nn.Linear(12, 12), nn.ReLU(), nn.Linear(12, 12))
        self.head = nn.Linear(12, 2)

    def forward(self, x):
        return self.head(torch.relu(self.blocks(torch.relu(self.stem(x)))))


net = Net()
net.requires_grad_(False)
unfreeze(net.blocks)
net.head.requires_grad_(True)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(30, 6), torch.randint(0, 2, (30,))
for _ in range(12):
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
