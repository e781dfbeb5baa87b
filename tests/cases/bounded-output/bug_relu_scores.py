"""A ReLU after the last linear layer of a classifier."""

import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(10, 32), nn.Linear(32, 4)

    def forward(self, x):
        x = F.relu(self.a(x))
        return F.relu(self.b(x))  # <- cause


torch.manual_seed(0)
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(12):
    x, y = torch.randn(32, 10), torch.randint(0, 4, (32,))
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
