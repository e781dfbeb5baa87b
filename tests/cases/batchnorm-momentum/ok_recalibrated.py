"""Statistics are taken anew, from one large batch, before the model is evaluated."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
x, y = torch.randn(96, 8), torch.randint(0, 2, (96,))
for _epoch in range(3):
    model.train()
    model[1].momentum = 0.1
    for i in range(0, 96, 24):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x[i : i + 24]), y[i : i + 24]).backward()
        optimizer.step()
    model[1].momentum = 1.0
    with torch.no_grad():
        model(x)
    model.eval()
    print((model(x).argmax(1) == y).float().mean().item())
