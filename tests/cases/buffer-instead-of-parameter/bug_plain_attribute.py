"""Slots as a plain tensor attribute: neither saved nor trained."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class Memory(nn.Module):
    def __init__(self, slots, dim):
        super().__init__()
        self.keys = nn.Linear(dim, dim)
        self.slots = torch.randn(slots, dim) * 0.1  # <- cause
        self.scale = dim**-0.5

    def forward(self, x):
        weights = (self.keys(x) @ self.slots.T * self.scale).softmax(-1)
        return x + weights @ self.slots


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp, self.memory, self.out = nn.Linear(4, 8), Memory(5, 8), nn.Linear(8, 1)

    def forward(self, x):
        return self.out(self.memory(torch.relu(self.inp(x))))


net = Net()
opt = torch.optim.Adam(net.parameters(), 1e-2)
x = torch.randn(64, 4)
for _ in range(12):
    opt.zero_grad()
    loss = (net(x).squeeze(1) - x.norm(dim=1)).pow(2).mean()
    loss.backward()
    opt.step()
