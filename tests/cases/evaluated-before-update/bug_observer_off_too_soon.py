"""The observers are switched off before anything has passed through them."""

import torch
from torch import nn
from torch.ao.quantization import FakeQuantize, disable_observer

torch.manual_seed(0)
x = torch.randn(96, 8) * 3
y = x[:, :1] - x[:, 1:2]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(8, 32)
        self.quantise = FakeQuantize()
        self.b = nn.Linear(32, 1)

    def forward(self, x):
        return self.b(self.quantise(torch.relu(self.a(x))))  # <- cause


net = Net()
net.apply(disable_observer)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(3):
    for rows in torch.randperm(96).split(16):
        opt.zero_grad()
        nn.functional.mse_loss(net(x[rows]), y[rows]).backward()
        opt.step()
