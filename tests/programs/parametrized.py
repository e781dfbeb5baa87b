"""Parametrizations and the older weight norm and spectral norm, which set the weight anew at every forward."""

import torch
from torch import nn
from torch.nn.utils import parametrizations, parametrize

torch.manual_seed(1)


class Symmetric(nn.Module):
    def forward(self, w):
        return w.triu() + w.triu(1).transpose(-1, -2)


model = nn.Sequential(
    parametrizations.weight_norm(nn.Linear(6, 6)),
    nn.Tanh(),
    parametrizations.spectral_norm(nn.Linear(6, 6)),
    nn.Tanh(),
    parametrizations.orthogonal(nn.Linear(6, 6)),
    nn.utils.spectral_norm(nn.Linear(6, 6)),
    nn.Linear(6, 6),
)
parametrize.register_parametrization(model[-1], "weight", Symmetric())
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
x = torch.randn(16, 6)
for step in range(8):
    loss = (model(x) - x.flip(1)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
model.eval()
print(model(x).sum().item())
parametrize.remove_parametrizations(model[0], "weight")
