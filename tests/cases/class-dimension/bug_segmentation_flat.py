"""A map of class scores flattened to [-1, classes] without a permute."""

import torch
from torch import nn

torch.manual_seed(0)
classes = 3
net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, classes, 1))
criterion = nn.CrossEntropyLoss()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(12):
    x, masks = torch.randn(4, 1, 8, 8), torch.randint(0, classes, (4, 8, 8))
    out = net(x)
    loss = criterion(out.view(-1, classes), masks.view(-1))  # <- cause
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
