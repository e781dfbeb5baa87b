"""Lazy modules, and a model made on the meta device and materialised afterwards."""

import torch
from torch import nn

torch.manual_seed(1)
lazy = nn.Sequential(nn.LazyConv1d(4, 3), nn.LazyBatchNorm1d(), nn.ReLU(), nn.Flatten(), nn.LazyLinear(2))
lazy(torch.randn(2, 3, 8))
with torch.device("meta"):
    model = nn.Sequential(nn.Linear(2, 8), nn.GELU(), nn.Linear(8, 1))
model.to_empty(device="cpu")
for module in model:
    if hasattr(module, "reset_parameters"):
        module.reset_parameters()
optimizer = torch.optim.Adam([*lazy.parameters(), *model.parameters()], lr=0.01)
for step in range(6):
    x = torch.randn(8, 3, 8)
    loss = (model(lazy(x)) - x.mean(dim=(1, 2))[:, None]).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
