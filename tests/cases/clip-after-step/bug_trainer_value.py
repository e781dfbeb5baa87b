"""clip_grad_value_ after the step, in a trainer class, with Adam."""

import torch
from torch import nn


class Trainer:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    def step(self, x, y):
        self.optimizer.zero_grad()
        loss = nn.functional.mse_loss(self.model(x), y)
        loss.backward()
        self.optimizer.step()
        nn.utils.clip_grad_value_(self.model.parameters(), 0.05)  # <- cause
        return loss.item()


torch.manual_seed(0)
trainer = Trainer(nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1)))
for _ in range(15):
    x = torch.randn(16, 6)
    trainer.step(x, 5 * x.sum(1, keepdim=True))
