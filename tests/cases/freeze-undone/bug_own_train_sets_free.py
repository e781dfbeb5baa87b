"""The backbone is frozen in the constructor; the model's own train() sets requires_grad of everything."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 8)
y = (x[:, 0] > 0).long()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(8, 16), nn.ReLU())
        self.head = nn.Linear(16, 2)
        for p in self.backbone.parameters():
            p.requires_grad = False

    def forward(self, x):
        return self.head(self.backbone(x))

    def train(self, mode=True):
        super().train(mode)
        for p in self.parameters():
            p.requires_grad = mode  # <- cause
        return self


net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(4):
    net.train()
    for rows in torch.randperm(64).split(16):
        opt.zero_grad()
        nn.functional.cross_entropy(net(x[rows]), y[rows]).backward()
        opt.step()
