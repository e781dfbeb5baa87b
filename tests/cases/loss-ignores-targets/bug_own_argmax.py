"""The labels are what the model itself has chosen."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(12):
    x = torch.randn(32, 6)
    out = net(x)
    labels = out.argmax(dim=1)  # <- cause
    loss = F.cross_entropy(out, labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
