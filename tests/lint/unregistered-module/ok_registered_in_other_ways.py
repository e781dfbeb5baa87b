import torch
from torch import nn


class Registered(nn.Module):
    """Lists beside containers, layers added by name, layers that somebody else trains."""

    def __init__(self, width, teacher):
        super().__init__()
        layers = []
        for _ in range(3):
            layers.append(nn.Linear(width, width))
            layers.append(nn.ReLU())
        self.body = nn.Sequential(*layers)
        self.first = nn.Linear(width, width)
        self.second = nn.Linear(width, width)
        self.order = [self.first, self.second]
        self.activations = [nn.ReLU(), nn.Tanh(), nn.Dropout(0.1)]
        self.teachers = [teacher]
        self.widths = [width] * 3

    def forward(self, x):
        x = self.body(x)
        for layer, activation in zip(self.order, self.activations):
            x = activation(layer(x))
        with torch.no_grad():
            wanted = self.teachers[0](x)
        return x - wanted


class ByName(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.stages = []
        for i in range(3):
            stage = nn.Linear(width, width)
            self.add_module(f"stage{i}", stage)
            self.stages.append(stage)

    def forward(self, x):
        for stage in self.stages:
            x = stage(x)
        return x


class Spread(nn.Module):
    def __init__(self, width):
        super().__init__()
        blocks = [nn.Linear(width, width) for _ in range(3)]
        self.blocks = blocks
        self.registered = nn.ModuleList(blocks)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


class Unused(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.template = [nn.Linear(width, width)]
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * self.scale


class Outside(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.adapters = [nn.Linear(width, width), nn.Linear(width, width)]

    def forward(self, x):
        return self.adapters[1](self.adapters[0](x))


net = Outside(4)
optimizer = torch.optim.SGD([p for adapter in net.adapters for p in adapter.parameters()], lr=0.1)
