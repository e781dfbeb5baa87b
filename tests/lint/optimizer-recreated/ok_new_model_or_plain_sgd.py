import copy

import torch
from torch import nn

model = nn.Linear(4, 1)
for x, y in loader:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()

for x, y in tasks:
    learner = copy.deepcopy(model)
    inner = torch.optim.Adam(learner.parameters(), lr=1e-3)
    nn.functional.mse_loss(learner(x), y).backward()
    inner.step()

for stage in range(3):
    stage_optimizer = torch.optim.Adam(model.parameters(), lr=10.0**-stage)
    for x, y in loader:
        stage_optimizer.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        stage_optimizer.step()
