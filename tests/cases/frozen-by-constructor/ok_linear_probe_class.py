"""A linear probe: its class freezes the (random) backbone always, the optimizer gets everything."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class LinearProbe(nn.Module):
    def __init__(self, backbone, dim, classes):
        super().__init__()
        self.backbone = backbone
        for p in self.backbone.parameters():
            p.requires_grad = False
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        return self.head(self.backbone(x))


backbone = nn.Sequential(nn.Linear(6, 32), nn.ReLU())
probe = LinearProbe(backbone, 32, 3)
opt = torch.optim.SGD(probe.parameters(), lr=0.1)
x = torch.randn(64, 6)
y = x.argmax(1) % 3
for _ in range(12):
    loss = nn.functional.cross_entropy(probe(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
