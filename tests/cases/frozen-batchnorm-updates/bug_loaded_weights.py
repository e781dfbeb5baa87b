"""Transfer learning: loaded weights are frozen, and train() is called in every epoch."""

import torch
from torch import nn


def backbone():
    return nn.Sequential(
        nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Conv2d(4, 6, 3), nn.BatchNorm2d(6), nn.ReLU()
    )


class Classifier(nn.Module):
    def __init__(self, weights):
        super().__init__()
        self.features = backbone()
        self.features.load_state_dict(weights)
        for parameter in self.features.parameters():
            parameter.requires_grad_(False)
        self.fc = nn.Linear(6, 3)

    def forward(self, x):
        return self.fc(self.features(x).mean((2, 3)))


def train_model(model, optimizer, epochs=3):
    for _epoch in range(epochs):
        model.train()  # <- cause
        for _ in range(5):
            x, y = 3 * torch.randn(16, 1, 8, 8) + 2, torch.randint(0, 3, (16,))
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()


torch.manual_seed(0)
source = backbone()
with torch.no_grad():
    for _ in range(30):
        source(torch.randn(32, 1, 8, 8))
net = Classifier(source.state_dict())
train_model(net, torch.optim.SGD(net.fc.parameters(), lr=0.01, momentum=0.9))
