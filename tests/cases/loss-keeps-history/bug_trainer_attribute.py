"""The running loss is an attribute, added to in place of a number, and back-propagated."""

import torch
from torch import nn


class Trainer:
    def __init__(self):
        self.model = nn.Linear(10, 3)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=0.01)
        self.criterion = nn.CrossEntropyLoss()
        self.loss = 0

    def step(self, x, y):
        self.optimizer.zero_grad()
        self.loss += self.criterion(self.model(x), y)  # <- cause
        self.loss.backward(retain_graph=True)  # <- cause
        self.optimizer.step()


torch.manual_seed(0)
trainer = Trainer()
for _ in range(15):
    x = torch.randn(32, 10)
    trainer.step(x, x[:, :3].argmax(1))
