"""A Trainer switches to evaluation after every epoch; only its constructor switches to training."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    def __init__(self, model, train_loader, val_loader):
        self.model, self.train_loader, self.val_loader = model, train_loader, val_loader
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        self.criterion = nn.CrossEntropyLoss()
        self.model.train()  # <- cause

    def train_epoch(self):
        for x, y in self.train_loader:
            self.optimizer.zero_grad(set_to_none=True)
            loss = self.criterion(self.model(x), y)
            loss.backward()
            self.optimizer.step()

    @torch.no_grad()
    def evaluate(self):
        self.model.eval()  # <- cause
        return sum((self.model(x).argmax(1) == y).sum().item() for x, y in self.val_loader)

    def fit(self, epochs):
        for epoch in range(epochs):
            self.train_epoch()
            print(epoch, self.evaluate())


torch.manual_seed(0)
x = torch.randn(120, 1, 8, 8) + 3
y = torch.randint(0, 3, (120,))
net = nn.Sequential(
    nn.Conv2d(1, 6, 3), nn.BatchNorm2d(6), nn.ReLU(), nn.Dropout2d(0.3), nn.Flatten(), nn.Linear(216, 3)
)
Trainer(
    net,
    DataLoader(TensorDataset(x[:96], y[:96]), batch_size=16, shuffle=True),
    DataLoader(TensorDataset(x[96:], y[96:]), batch_size=16),
).fit(4)
