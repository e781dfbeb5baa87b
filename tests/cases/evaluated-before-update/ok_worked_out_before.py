"""Spectral norms and a fake quantiser that training passes have worked out before the evaluation."""

import torch
from torch import nn
from torch.ao.quantization import FakeQuantize, disable_observer
from torch.nn.utils import parametrizations, spectral_norm

torch.manual_seed(0)
x = torch.randn(96, 8)
y = x[:, :1].sin()
model = nn.Sequential(
    spectral_norm(nn.Linear(8, 32)),
    FakeQuantize(),
    nn.Tanh(),
    parametrizations.spectral_norm(nn.Linear(32, 32)),
    nn.Linear(32, 1),
)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(3):
    model.train()
    for rows in torch.randperm(96).split(24):
        opt.zero_grad()
        nn.functional.mse_loss(model(x[rows]), y[rows]).backward()
        opt.step()
    if epoch == 1:
        model.apply(disable_observer)
    model.eval()
    with torch.no_grad():
        print(nn.functional.mse_loss(model(x), y).item())
