"""nn.Softmax as the last layer, CrossEntropyLoss after it."""

import torch
from torch import nn


def build(hidden):
    layers = [nn.Linear(10, hidden), nn.ReLU()]
    layers += [
        nn.Linear(hidden, 4),
        nn.Softmax(dim=1),  # <- cause
    ]
    return nn.Sequential(*layers)


torch.manual_seed(0)
model = build(32)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
x, y = torch.randn(256, 10), torch.randint(0, 4, (256,))
for _ in range(20):
    idx = torch.randint(0, 256, (32,))
    loss = criterion(model(x[idx]), y[idx])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
