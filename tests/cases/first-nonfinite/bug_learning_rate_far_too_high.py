"""The weights grow from step to step until the loss is infinite."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)

m = nn.Linear(4, 1)
o = torch.optim.SGD(m.parameters(), lr=1e5)  # <- cause
for i in range(12):
    x = torch.randn(32, 4) * 10
    l = F.mse_loss(m(x), x.sum(1, keepdim=True))  # <- cause
    o.zero_grad()
    l.backward()
    o.step()
