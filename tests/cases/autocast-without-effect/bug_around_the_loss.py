"""Only the loss is computed within autocast."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(96, 8)
y = (x @ torch.randn(8, 3)).argmax(1)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(2):
    for rows in torch.randperm(96).split(16):
        opt.zero_grad()
        out = model(x[rows])
        with torch.autocast("cpu", dtype=torch.bfloat16):  # <- cause
            loss = nn.functional.cross_entropy(out, y[rows])
        loss.backward()
        opt.step()
