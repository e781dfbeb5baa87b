"""The classifier is replaced for the new classes after the optimizer was built."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(8, 16), nn.ReLU())
        self.fc = nn.Linear(16, classes)

    def forward(self, x):
        return self.fc(self.features(x))


def adapt(model, classes):
    model.fc = nn.Linear(model.fc.in_features, classes)  # <- cause


def main():
    model = Net(100)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)  # <- cause
    adapt(model, 3)  # <- cause
    x, y = torch.randn(32, 8), torch.randint(0, 3, (32,))
    for _ in range(12):
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


main()
