"""The binary form, with alpha and logarithms of the probability, in a function."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


def binary_focal(logits, target, alpha=0.25, gamma=2):
    bce = F.binary_cross_entropy_with_logits(logits, target)  # <- cause
    pt = torch.exp(-bce)
    return -alpha * (1 - pt).pow(gamma) * torch.log(pt)


net = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 1, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for step in range(12):
    image = torch.rand(4, 1, 8, 8)
    target = (image > 0.9).float()
    optimizer.zero_grad()
    loss = binary_focal(net(image), target)
    loss.backward()
    optimizer.step()
