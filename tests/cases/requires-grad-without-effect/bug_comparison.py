"""`==` instead of `=`, and a method that is named and not called."""

import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.ModuleDict({"enc": nn.Linear(6, 8), "mid": nn.Linear(8, 8), "out": nn.Linear(8, 2)})
for p in model.parameters():
    p.requires_grad = False
for p in model["mid"].parameters():
    p.requires_grad == True  # <- cause
model["out"].requires_grad_(True)

opt = torch.optim.Adam(model.parameters(), lr=1e-2)
x, y = torch.randn(30, 6), torch.randint(0, 2, (30,))
for _ in range(12):
    h = torch.relu(model["enc"](x))
    loss = nn.functional.cross_entropy(model["out"](torch.relu(model["mid"](h))), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
