"""The output is compared with its own copy."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
criterion = nn.MSELoss()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(12):
    x = torch.randn(32, 6)
    y = x.sum(1, keepdim=True)
    out = net(x)
    y = out.detach().clone()
    loss = criterion(out, y)  # <- cause
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
