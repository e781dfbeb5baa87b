"""The loop over the parameters freezes the head too, so that nothing is left; a penalty keeps backward alive."""

import torch
import torch.nn as nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(6, 16), nn.ReLU())
head = nn.Linear(16, 3)
model = nn.Sequential(backbone, head)
temperature = nn.Parameter(torch.ones(()))
for name, p in model.named_parameters():
    if "fc" not in name:
        p.requires_grad = False  # <- cause

optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
temperature_opt = torch.optim.SGD([temperature], lr=1e-3)
x, y = torch.randn(40, 6), torch.randint(0, 3, (40,))
for _ in range(12):
    loss = nn.functional.cross_entropy(model(x) / temperature, y)
    optimizer.zero_grad()
    temperature_opt.zero_grad()
    loss.backward()
    optimizer.step()
    temperature_opt.step()
