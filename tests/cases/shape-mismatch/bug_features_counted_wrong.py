"""The first linear layer after the convolutions was made for another image size."""
import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.pool = nn.MaxPool2d(2)
        self.head = nn.Linear(4 * 6 * 6, 10)  # <- cause

    def forward(self, x):
        x = self.pool(torch.relu(self.conv(x)))
        return self.head(x.flatten(1))


model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss = nn.functional.cross_entropy(model(torch.randn(8, 1, 16, 16)), torch.randint(10, (8,)))
loss.backward()
optimizer.step()
