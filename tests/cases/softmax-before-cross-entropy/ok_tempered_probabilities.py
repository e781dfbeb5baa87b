"""Gates in 0..1 that are stretched before the loss, mixture of experts weighted by a softmax, a monitored loss."""

import torch
import torch.nn.functional as F
from torch import nn


class Mixture(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(8, 4)
        self.experts = nn.ModuleList([nn.Linear(8, 3) for _ in range(4)])

    def forward(self, x):
        w = self.gate(x).softmax(dim=-1)
        outs = torch.stack([e(x) for e in self.experts], dim=1)
        return (w.unsqueeze(-1) * outs).sum(1)


torch.manual_seed(0)
net = Mixture()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(12):
    x = torch.randn(40, 8)
    y = x[:, :3].argmax(1)
    logits = net(x)
    loss = F.cross_entropy(logits, y)
    monitored = F.cross_entropy(F.softmax(logits, dim=1), y)  # only printed
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item(), monitored.item())
