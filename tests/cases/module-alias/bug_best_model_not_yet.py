"""The first epoch is longer than the window: the line that keeps the model has not run when it closes."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(300, 6), torch.randint(0, 3, (300,))


class Fit:
    def __init__(self, model):
        self.model, self.best_model, self.best = model, None, None
        self.optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

    def epoch(self):
        for idx in torch.randperm(200).split(4):
            self.optimizer.zero_grad()
            F.cross_entropy(self.model(x[idx]), y[idx]).backward()
            self.optimizer.step()

    def run(self, epochs):
        for _ in range(epochs):
            self.epoch()
            with torch.no_grad():
                val = F.cross_entropy(self.model(x[200:]), y[200:]).item()
            if self.best is None or val < self.best:
                self.best = val
                self.best_model = self.model  # <- cause
        return self.best_model


Fit(nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))).run(3)(x)
