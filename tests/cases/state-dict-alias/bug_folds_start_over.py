"""Each fold should start from the first weights; the kept state has trained along."""
import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(80, 6), torch.randint(0, 3, (80,))

model = nn.Linear(6, 3)
initial = model.state_dict()  # <- cause
for fold in range(4):
    model.load_state_dict(initial)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    keep = torch.arange(80) % 4 != fold
    for epoch in range(3):
        for idx in torch.randperm(60).split(20):
            opt.zero_grad()
            F.cross_entropy(model(x[keep][idx]), y[keep][idx]).backward()
            opt.step()
