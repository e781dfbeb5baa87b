"""Gradients of eight images are accumulated, but each goes through the network by itself."""

import torch
from torch import nn

torch.manual_seed(0)
images = [torch.randn(1, 10, 10) * (1 + i % 5) + i % 7 for i in range(96)]
model = nn.Sequential(
    nn.Conv2d(1, 4, 3),
    nn.BatchNorm2d(4),  # <- cause
    nn.ReLU(),
    nn.ConvTranspose2d(4, 1, 3),
)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for n, image in enumerate(images, 1):
    batch = image.unsqueeze(0)  # <- cause
    loss = (model(batch) - batch).square().mean() / 8
    loss.backward()
    if n % 8 == 0:
        optimizer.step()
        optimizer.zero_grad()
