import functools

import torch
import torch.nn as nn


class Scorer:
    def __init__(self, width):
        self.hidden = nn.Linear(width, width)
        self.out = nn.Linear(width, 1)

    def __call__(self, x):
        return self.out(torch.tanh(self.hidden(x)))


def gated(layer, x):
    return torch.sigmoid(layer(x)) * x


class Ranker(nn.Module):
    shared = nn.Linear(16, 16)  # <- cause

    def __init__(self, width=16):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, width), nn.ReLU())
        self.scorer = Scorer(width)  # <- cause
        self.gate = functools.partial(gated, nn.Linear(width, width))  # <- cause

    def forward(self, x):
        return self.scorer(self.gate(self.shared(self.body(x))))
