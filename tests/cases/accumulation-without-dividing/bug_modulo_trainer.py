"""A trainer class that accumulates eight batches; SGD with momentum."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    def __init__(self, model, accumulate):
        self.model, self.accumulate, self.count = model, accumulate, 0
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
        self.criterion = nn.CrossEntropyLoss()

    def batch(self, x, y):
        loss = self.criterion(self.model(x), y)  # <- cause
        loss.backward()  # <- cause
        self.count += 1
        if self.count == self.accumulate:
            self.optimizer.step()
            self.optimizer.zero_grad()
            self.count = 0


torch.manual_seed(0)
x = torch.randn(512, 8)
trainer = Trainer(nn.Sequential(nn.Linear(8, 24), nn.ReLU(), nn.Linear(24, 3)), 8)
for epoch in range(2):
    for batch in DataLoader(TensorDataset(x, x[:, :3].argmax(1)), batch_size=8, shuffle=True):
        trainer.batch(*batch)
