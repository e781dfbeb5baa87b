"""Depth maps: the network gives [N, 1, H, W], the loader [N, H, W]."""
import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 3, padding=1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(10):
    image = torch.rand(6, 3, 12, 10)
    depth = image.mean(1) * 3
    predicted = net(image)
    valid = depth > 0.1
    loss = ((predicted - depth).abs() * valid).sum() / valid.sum()  # <- cause
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
