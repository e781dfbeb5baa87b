"""The usual `own.update(fitting)`, where nothing fits: the model is given its own weights."""

import io

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(96, 8)
y = (x @ torch.randn(8, 3)).argmax(1)


def build():
    return nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))


file = io.BytesIO()
torch.save({"epoch": 3, "model": build().state_dict()}, file)
file.seek(0)
saved = torch.load(file)
model = build()
own = model.state_dict()
own.update({k: v for k, v in saved.items() if k in own})
model.load_state_dict(own)  # <- cause
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    for rows in torch.randperm(96).split(16):
        opt.zero_grad()
        nn.functional.cross_entropy(model(x[rows]), y[rows]).backward()
        opt.step()
