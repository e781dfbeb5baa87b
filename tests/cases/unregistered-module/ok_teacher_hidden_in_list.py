"""A teacher hidden in a list so that it is neither saved nor trained; it gets gradients through nothing."""

import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class Distill(nn.Module):
    def __init__(self, teacher):
        super().__init__()
        self.student = nn.Linear(8, 4)
        self._teacher = [teacher]

    def forward(self, x):
        with torch.no_grad():
            soft = self._teacher[0](x).softmax(-1)
        return F.kl_div(self.student(x).log_softmax(-1), soft, reduction="batchmean")


teacher = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
net = Distill(copy.deepcopy(teacher))
opt = torch.optim.Adam(net.parameters(), 1e-2)
x = torch.randn(32, 8)
for _ in range(12):
    loss = net(x)
    opt.zero_grad()
    loss.backward()
    opt.step()
