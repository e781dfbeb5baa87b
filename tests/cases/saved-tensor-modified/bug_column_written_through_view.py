"""Part of an activation is written through a slice of it after exp has saved it."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(5, 4)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
x, target = torch.randn(30, 5), torch.rand(30, 4)


def positive(raw):
    scale = raw.exp()
    first = scale[:, 0]
    first.clamp_(max=1.0)  # <- cause
    return scale


for epoch in range(3):
    loss = (positive(net(x)) - target).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
