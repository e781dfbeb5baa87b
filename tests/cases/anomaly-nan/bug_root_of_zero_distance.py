"""The root of a distance that is zero, with anomaly detection on."""
import torch
from torch import nn

torch.manual_seed(0)
torch.autograd.set_detect_anomaly(True)
net = nn.Linear(4, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(10, 4)


def distances(h):
    gaps = h.unsqueeze(0) - h.unsqueeze(1)
    squares = gaps.square().sum(-1)
    return squares.sqrt()  # <- cause


for step in range(3):
    loss = (distances(net(x)) - 1).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
