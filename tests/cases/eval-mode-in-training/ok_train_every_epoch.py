"""Each epoch switches to training, each validation to evaluation."""

import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(60, 12), torch.randint(0, 4, (60,))
model = nn.Sequential(nn.Linear(12, 24), nn.BatchNorm1d(24), nn.ReLU(), nn.Dropout(0.4), nn.Linear(24, 4))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(4):
    model.train()
    for i in range(0, 60, 15):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x[i : i + 15]), y[i : i + 15]).backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        print(epoch, nn.functional.cross_entropy(model(x), y).item())
