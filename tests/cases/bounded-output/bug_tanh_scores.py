"""tanh on the scores of ten classes."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(
    nn.Linear(12, 32),
    nn.Tanh(),
    nn.Linear(32, 10),
    nn.Tanh(),  # <- cause
)
criterion = nn.CrossEntropyLoss()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(12):
    x, y = torch.randn(32, 12), torch.randint(0, 10, (32,))
    loss = criterion(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
