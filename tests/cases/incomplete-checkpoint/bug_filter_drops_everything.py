"""A filter by name and shape leaves nothing of a state whose names have a prefix."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(96, 8)
y = (x @ torch.randn(8, 3)).argmax(1)


def build():
    return nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))


saved = {f"module.{k}": v.clone() for k, v in build().state_dict().items()}
model = build()
own = model.state_dict()
fitting = {k: v for k, v in saved.items() if k in own and v.shape == own[k].shape}
model.load_state_dict(fitting, strict=False)  # <- cause
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(3):
    for rows in torch.randperm(96).split(16):
        opt.zero_grad()
        nn.functional.cross_entropy(model(x[rows]), y[rows]).backward()
        opt.step()
