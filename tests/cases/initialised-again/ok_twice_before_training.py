"""Initialised by the constructor, by apply and by hand, and loaded last."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(96, 8)
y = (x @ torch.randn(8, 3)).argmax(1)


def build():
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))
    for m in model:
        if isinstance(m, nn.Linear):
            nn.init.xavier_uniform_(m.weight)
            nn.init.normal_(m.weight, std=0.1)
            m.reset_parameters()
    return model


other, model = build(), build()
other.load_state_dict(model.state_dict())
for m in other.modules():
    if isinstance(m, nn.Linear):
        m.reset_parameters()
state = {k: v.clone() for k, v in build().state_dict().items()}
model.load_state_dict(state)
opt = torch.optim.SGD([*model.parameters(), *other.parameters()], lr=0.1)
for _ in range(3):
    for rows in torch.randperm(96).split(16):
        opt.zero_grad()
        out = model(x[rows]) + other(x[rows])
        nn.functional.cross_entropy(out, y[rows]).backward()
        opt.step()
