"""(-loss).backward() with a squared error written by hand."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(5, 1)
opt = torch.optim.SGD(net.parameters(), lr=1e-3)
x = torch.randn(100, 5)
y = x @ torch.randn(5, 1)
for _ in range(12):
    loss = ((net(x) - y) ** 2).mean()
    opt.zero_grad()
    (-loss).backward()  # <- cause
    opt.step()
print(loss.item())
