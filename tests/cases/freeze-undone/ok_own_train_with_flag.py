"""A train() that freezes if a flag says so, which it does not; another one whose freeze is in force already."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 8)
y = (x[:, 0] > 0).long()


class Body(nn.Module):
    def __init__(self, frozen):
        super().__init__()
        self.frozen = frozen
        self.layers = nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8), nn.ReLU())
        self.freeze()

    def freeze(self):
        if self.frozen:
            self.layers.eval()
            for p in self.layers.parameters():
                p.requires_grad = False

    def forward(self, x):
        return self.layers(x)

    def train(self, mode=True):
        super().train(mode)
        self.freeze()
        return self


model = nn.Sequential(Body(False), Body(True), nn.Linear(8, 2))
opt = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.1)
for _ in range(4):
    for rows in torch.randperm(64).split(16):
        opt.zero_grad()
        nn.functional.cross_entropy(model(x[rows]), y[rows]).backward()
        opt.step()
