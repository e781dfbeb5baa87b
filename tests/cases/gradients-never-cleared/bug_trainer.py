"""A trainer class whose step forgets to clear."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 24)
        self.head = nn.Linear(24, 3)

    def forward(self, x):
        return self.head(torch.tanh(self.body(x)))


class Trainer:
    def __init__(self, model, loader):
        self.model, self.loader = model, loader
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

    def train_step(self, x, y):
        loss = self.criterion(self.model(x), y)
        loss.backward()  # <- cause
        self.optimizer.step()
        return loss.item()

    def fit(self, epochs):
        for _ in range(epochs):
            for x, y in self.loader:
                self.train_step(x, y)


torch.manual_seed(0)
x = torch.randn(128, 8)
y = x[:, :3].argmax(1)
Trainer(Net(), DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)).fit(5)
