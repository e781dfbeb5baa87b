import torch
from torch import nn


class Clearing(torch.optim.SGD):
    def step(self, closure=None):
        super().step(closure)
        self.drop()


model = nn.Linear(4, 1)
optimizer = Clearing(model.parameters(), lr=0.1)
for x, y in loader:
    nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()
