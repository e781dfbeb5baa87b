"""reset_parameters in the epoch loop, with the seed set anew: the same numbers each time."""

import torch
import torch.nn as nn

torch.manual_seed(0)


def init_weights(m):
    if isinstance(m, nn.Linear):
        nn.init.constant_(m.weight, 0.1)  # <- cause
        nn.init.zeros_(m.bias)  # <- cause


model = nn.Sequential(nn.Linear(4, 8), nn.Sigmoid(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(48, 4)
for epoch in range(12):
    model.apply(init_weights)  # <- cause
    for xb in x.split(16):
        loss = (model(xb) - xb.mean(1, keepdim=True)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
