"""The training step returns the loss before it comes to the update."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class Learner:
    def __init__(self):
        self.net = nn.Linear(5, 2)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
        self.log_only = False

    def training_step(self, x, y, log=True):
        loss = nn.functional.cross_entropy(self.net(x), y)
        loss.backward()  # <- cause
        if log:
            return loss.item()  # <- cause
        self.optimizer.step()  # <- cause
        self.optimizer.zero_grad()


learner = Learner()
for _ in range(50):
    learner.training_step(torch.randn(8, 5), torch.randint(0, 2, (8,)))
