"""A method that returns the penalty with the wrong sign, by norms."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 6)
y = x[:, :1].sin()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(6, 32)
        self.b = nn.Linear(32, 1)

    def forward(self, x):
        return self.b(torch.tanh(self.a(x)))

    def penalty(self, factor):
        total = torch.zeros(())
        for name, p in self.named_parameters():
            if "weight" in name:
                total = total + torch.norm(p) ** 2
        return -factor * total  # <- cause


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(12):
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(x), y) + net.penalty(1e-2)
    loss.backward()
    opt.step()
