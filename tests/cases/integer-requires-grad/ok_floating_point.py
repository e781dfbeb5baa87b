"""Floating-point numbers, and an integer Parameter that asks for no gradient."""
import torch
from torch import nn

torch.manual_seed(0)


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.arange(4, dtype=torch.float32))
        self.order = nn.Parameter(torch.arange(4).flip(0), requires_grad=False)

    def forward(self, x):
        return (x * self.scale)[:, self.order]


model = Scaled()
optimizer = torch.optim.SGD([model.scale], lr=0.1)
x = torch.randn(32, 4)
for step in range(12):
    loss = (model(x) - x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
