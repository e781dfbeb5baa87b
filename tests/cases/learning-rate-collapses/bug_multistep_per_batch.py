"""Milestones in epochs, stepped per batch through a helper."""

import torch
import torch.nn as nn
from torch.optim import lr_scheduler

torch.manual_seed(0)


class Loop:
    def __init__(self, model, epochs):
        self.model = model
        self.opt = torch.optim.Adam(model.parameters(), lr=1e-2)
        self.sched = lr_scheduler.MultiStepLR(self.opt, milestones=[epochs // 3, 2 * epochs // 3], gamma=0.1)

    def after_batch(self):
        self.opt.step()
        self.sched.step()  # <- cause

    def run(self, batches):
        for x in batches:
            self.opt.zero_grad()
            loss = (self.model(x) - x.sum(1, keepdim=True)).pow(2).mean()
            loss.backward()
            self.after_batch()  # <- cause


loop = Loop(nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1)), epochs=9)
for _ in range(9):
    loop.run([torch.randn(16, 3) for _ in range(6)])
