"""A sigmoid before the loss that takes probabilities, and a gate inside the network."""

import torch
import torch.nn.functional as F
from torch import nn


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate, self.value, self.out = nn.Linear(6, 12), nn.Linear(6, 12), nn.Linear(12, 1)

    def forward(self, x):
        return self.out(torch.sigmoid(self.gate(x)) * self.value(x)).squeeze(-1)


torch.manual_seed(0)
net = Gated()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(12):
    x = torch.randn(32, 6)
    y = (x[:, 0] * x[:, 1] > 0).float()
    scores = net(x)
    loss = F.binary_cross_entropy(scores.sigmoid().clamp(1e-6, 1 - 1e-6), y)
    loss = loss + F.binary_cross_entropy_with_logits(scores, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
