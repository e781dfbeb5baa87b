"""The momentum of all normalisation layers is set after the model was built."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(
    nn.Linear(8, 16), nn.BatchNorm1d(16), nn.Tanh(), nn.Linear(16, 16), nn.BatchNorm1d(16), nn.Linear(16, 1)
)
for module in model.modules():
    if isinstance(module, nn.modules.batchnorm._BatchNorm):
        module.momentum = 0.99  # <- cause
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(12):
    x = torch.randn(32, 8)
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), x[:, :1]).backward()
    optimizer.step()
