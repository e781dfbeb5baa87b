"""Fine-tuning a loaded model with its normalisation layers in evaluation mode, one by one, from the second epoch on."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(4):
    model.train()
    if epoch:
        for module in model.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.eval()
    for _ in range(4):
        x, y = torch.randn(8, 1, 8, 8), torch.randint(0, 2, (8,))
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
