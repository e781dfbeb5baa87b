"""Layer-wise rates: integer division makes the rate of the lower blocks 0."""

import torch
import torch.nn as nn

torch.manual_seed(0)


def groups(model, base, decay):
    out = []
    for depth, layer in enumerate(reversed(list(model))):
        if any(True for _ in layer.parameters()):
            out.append({"params": layer.parameters(), "lr": base * (decay**depth // 1)})
    return out


model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 12), nn.Tanh(), nn.Linear(12, 2))
optimizer = torch.optim.AdamW(groups(model, 1e-2, 0.8))  # <- cause
x, y = torch.randn(40, 6), torch.randint(0, 2, (40,))
for _ in range(12):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
