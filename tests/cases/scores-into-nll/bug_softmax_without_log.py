"""Softmax where LogSoftmax was meant."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(
    nn.Linear(8, 32),
    nn.ReLU(),
    nn.Linear(32, 5),
    nn.Softmax(dim=1),  # <- cause
)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(12):
    x, y = torch.randn(64, 8), torch.randint(0, 5, (64,))
    loss = nn.NLLLoss()(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
