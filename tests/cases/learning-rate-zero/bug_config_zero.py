"""The rate comes from a configuration in which it is 0."""

import torch
import torch.nn as nn

torch.manual_seed(0)
config = {"optimizer": "SGD", "lr": 0.0, "momentum": 0.9}


class Trainer:
    def __init__(self, model, cfg):
        self.model = model
        kind = getattr(torch.optim, cfg["optimizer"])
        self.optimizer = kind(model.parameters(), lr=cfg["lr"], momentum=cfg["momentum"])  # <- cause

    def run(self, steps):
        for _ in range(steps):
            x = torch.randn(16, 5)
            loss = (self.model(x).squeeze(1) - x.sum(1)).pow(2).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()


Trainer(nn.Linear(5, 1), config).run(12)
