"""Cross-validation: the model is built anew for each fold, the optimizer only once."""

import torch
import torch.nn as nn

torch.manual_seed(0)


def build():
    return nn.Sequential(nn.Linear(5, 10), nn.Tanh(), nn.Linear(10, 1))  # <- cause


x = torch.randn(60, 5)
y = x.sum(1, keepdim=True)
model = build()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)  # <- cause
for fold in range(3):
    model = build()  # <- cause
    for _ in range(6):
        loss = (model(x) - y).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
