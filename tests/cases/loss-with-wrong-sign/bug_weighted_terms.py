"""Two losses whose sum is multiplied by a negative weight."""

import torch
import torch.nn.functional as F
from torch import nn


class Joint(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.kind, self.size = nn.Linear(6, 16), nn.Linear(16, 3), nn.Linear(16, 1)

    def forward(self, x):
        h = torch.relu(self.body(x))
        return self.kind(h), self.size(h)


torch.manual_seed(0)
net = Joint()
opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
for _ in range(12):
    x = torch.randn(32, 6)
    kind, size = net(x)
    loss = F.cross_entropy(kind, x[:, :3].argmax(1)) + 0.5 * F.l1_loss(size, x[:, :1])
    loss = loss * -1.0  # <- cause
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
