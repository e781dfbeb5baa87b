"""Made anew at the start of each epoch of four batches."""

import torch
from torch import nn


class Trainer:
    def __init__(self, model):
        self.model = model

    def epoch(self, data):
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3)  # <- cause
        for x, y in data:
            self.optimizer.zero_grad()
            nn.functional.mse_loss(self.model(x), y).backward()
            self.optimizer.step()


torch.manual_seed(0)
x = torch.randn(64, 6)
data = list(zip(x.split(16), x.sum(1, keepdim=True).split(16)))
trainer = Trainer(nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1)))
for _ in range(8):
    trainer.epoch(data)
