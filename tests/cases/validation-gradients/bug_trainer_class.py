"""The shared step of a trainer clears the gradients only in training."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


class Trainer:
    def __init__(self):
        self.model = nn.Sequential(nn.Linear(5, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 1))
        self.opt = torch.optim.SGD(self.model.parameters(), lr=0.05)

    def shared_step(self, batch):
        xb, yb = batch
        loss = nn.functional.mse_loss(self.model(xb), yb)
        loss.backward()  # <- cause
        return loss.item()

    def fit(self, train, val):
        for _ in range(10):
            self.model.train()
            for batch in train:
                self.shared_step(batch)  # <- cause
                self.opt.step()
                self.model.zero_grad()
            self.model.eval()
            print(sum(self.shared_step(batch) for batch in val))


def data(rows):
    x = torch.randn(rows, 5)
    return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=16, shuffle=True)


Trainer().fit(data(64), data(32))
