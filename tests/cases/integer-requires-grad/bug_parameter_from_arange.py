"""Positions made with arange become a Parameter."""
import torch
from torch import nn


class Positions(nn.Module):
    def __init__(self, length):
        super().__init__()
        start = torch.arange(length)  # <- cause
        self.offset = nn.Parameter(start)

    def forward(self, x):
        return x + self.offset


model = Positions(8)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
