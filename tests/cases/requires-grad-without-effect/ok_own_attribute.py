"""A module with an attribute of its own called requires_grad, and tensors with harmless extra attributes."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class Scale(nn.Module):
    def __init__(self, requires_grad=True):
        super().__init__()
        self.requires_grad = requires_grad
        self.s = nn.Parameter(torch.ones(1), requires_grad=self.requires_grad)
        self.s.no_weight_decay = True

    def forward(self, x):
        return x * self.s


net = nn.Sequential(nn.Linear(4, 8), Scale(), nn.ReLU(), nn.Linear(8, 1), Scale(requires_grad=False))
opt = torch.optim.Adam(net.parameters(), 1e-2)
x = torch.randn(30, 4)
for _ in range(12):
    loss = (net(x) - x[:, :1]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
