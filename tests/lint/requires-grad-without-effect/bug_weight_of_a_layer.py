import torch
from torch import nn


class Probe(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(10, 4)
        self.head = nn.Linear(4, 2)
        self.table.weight.require_grad = False  # <- cause

    def forward(self, x):
        return self.head(self.table(x))


probe = Probe()
probe.head.bias.requires_grads = False  # <- cause
optimizer = torch.optim.SGD(probe.parameters(), lr=0.1)
