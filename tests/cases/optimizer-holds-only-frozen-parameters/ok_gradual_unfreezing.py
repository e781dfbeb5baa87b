"""ULMFiT: one group after another is unfrozen; the first ones stay frozen over the whole window."""

import torch
import torch.nn as nn

torch.manual_seed(0)
layers = [nn.Sequential(nn.Linear(8, 8), nn.Tanh()) for _ in range(3)]
model = nn.Sequential(*layers, nn.Linear(8, 2))
for layer in layers:
    layer.requires_grad_(False)
optimizer = torch.optim.AdamW([{"params": m.parameters(), "lr": 1e-3 * (i + 1)} for i, m in enumerate(model)])
x, y = torch.randn(40, 8), torch.randint(0, 2, (40,))
for epoch in range(3):
    model[2 - epoch].requires_grad_(True)
    for xb, yb in zip(x.split(8), y.split(8)):
        loss = nn.functional.cross_entropy(model(xb), yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
