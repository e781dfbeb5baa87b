"""The only layers of a model lie in a Python list, so that it has no parameters."""
import torch
from torch import nn

torch.manual_seed(0)


class Stack(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.layers = [nn.Linear(4, 4) for _ in range(depth)]  # <- cause

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return x


model = Stack(3)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
