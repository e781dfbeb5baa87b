import torch
import torch.nn as nn
import torch.nn.functional as F


class Pooled(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width
        self.body = nn.Linear(width, width)

    def new_scale(self):
        self.scale = nn.Parameter(torch.ones(self.width))

    def forward(self, x):
        h = F.relu(self.body(x))
        self.new_scale()  # <- cause
        project = nn.Linear(self.width, 3)  # <- cause
        h = nn.LayerNorm(self.width)(h)  # <- cause
        return project(h * self.scale)
