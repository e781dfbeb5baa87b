"""Pixels from 0 to 255, and a BatchNorm before (or right behind) the first layer."""
import torch
import torch.nn as nn

torch.manual_seed(0)
images = torch.randint(0, 256, (200, 1, 8, 8), dtype=torch.uint8)
labels = (images.float().mean((1, 2, 3)) > 127).long()
first = nn.Sequential(nn.BatchNorm2d(1), nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(288, 2))
behind = nn.Sequential(nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(288, 2))
opt = torch.optim.SGD([*first.parameters(), *behind.parameters()], lr=0.05, momentum=0.9)
for step in range(15):
    i = torch.randint(0, 200, (32,))
    x = images[i].float()
    loss = sum(nn.functional.cross_entropy(net(x), labels[i]) for net in (first, behind))
    opt.zero_grad()
    loss.backward()
    opt.step()
