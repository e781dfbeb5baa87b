from torch import nn


class Ladder(nn.Module):
    def __init__(self, width, rungs):
        super().__init__()
        self.rungs = tuple(nn.Linear(width, width) for _ in range(rungs))  # <- cause
        self.rails = list(nn.LayerNorm(width) for _ in range(rungs))  # <- cause

    def forward(self, x):
        for rung, rail in zip(self.rungs, self.rails, strict=True):
            x = x + rung(rail(x))
        return x
