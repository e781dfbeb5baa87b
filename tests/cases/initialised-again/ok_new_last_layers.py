"""The last layers of a pretrained model are drawn anew on purpose."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(96, 8)
y = (x @ torch.randn(8, 3)).argmax(1)


def build():
    return nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 3))


state = {k: v.clone() for k, v in build().state_dict().items()}
model = build()
model.load_state_dict(state)
for layer in (model[2], model[4]):
    nn.init.normal_(layer.weight, std=0.1)
    nn.init.zeros_(layer.bias)
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _ in range(3):
    for rows in torch.randperm(96).split(16):
        opt.zero_grad()
        nn.functional.cross_entropy(model(x[rows]), y[rows]).backward()
        opt.step()
