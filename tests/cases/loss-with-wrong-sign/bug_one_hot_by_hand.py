"""One-hot targets times log-probabilities, summed and never negated."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
rule = torch.randn(8, 5)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 5))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(12):
    x = torch.randn(64, 8)
    y = F.one_hot((x @ rule).argmax(1), 5).float()
    loss = (y * torch.log(F.softmax(model(x), 1) + 1e-9)).sum(1).mean()  # <- cause
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
