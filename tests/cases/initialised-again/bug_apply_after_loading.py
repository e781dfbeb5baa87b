"""The pretrained state is loaded first, and all layers are initialised after it."""

import io

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(96, 8)
y = (x @ torch.randn(8, 3)).argmax(1)


def build():
    return nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 3))


def init_weights(m):
    if isinstance(m, nn.Linear):
        nn.init.trunc_normal_(m.weight, std=0.1)  # <- cause
        nn.init.zeros_(m.bias)


file = io.BytesIO()
torch.save(build().state_dict(), file)
file.seek(0)
model = build()
model.load_state_dict(torch.load(file))
model.apply(init_weights)  # <- cause
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(3):
    for rows in torch.randperm(96).split(16):
        opt.zero_grad()
        nn.functional.cross_entropy(model(x[rows]), y[rows]).backward()
        opt.step()
