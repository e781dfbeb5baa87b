"""The trainer's own schedule forgets its count at the start of each epoch."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(96, 6)
y = x @ torch.randn(6, 1)


class Trainer:
    def __init__(self, model):
        self.model = model
        self.opt = torch.optim.AdamW(model.parameters(), lr=3e-3)

    def set_rate(self):
        self.count += 1
        rate = 3e-3 * self.count / 100
        self.opt.param_groups[0]["lr"] = rate  # <- cause

    def epoch(self):
        self.count = 0
        for rows in torch.randperm(96).split(16):
            self.set_rate()  # <- cause
            self.opt.zero_grad()
            nn.functional.mse_loss(self.model(x[rows]), y[rows]).backward()
            self.opt.step()


trainer = Trainer(nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1)))
for _ in range(10):
    trainer.epoch()
