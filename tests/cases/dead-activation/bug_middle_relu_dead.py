"""A hidden ReLU layer is dead because of a large negative bias: everything before it gets zeros."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 3)
        self.conv2 = nn.Conv2d(4, 4, 3)
        self.fc = nn.Linear(4, 3)
        nn.init.constant_(self.conv2.bias, -50.0)  # <- cause

    def forward(self, x):
        x = torch.relu(self.conv1(x))
        x = torch.relu(self.conv2(x))  # <- cause
        return self.fc(x.mean((2, 3)))


def fit(model, steps):
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(steps):
        x, y = torch.rand(8, 1, 8, 8), torch.randint(0, 3, (8,))
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()


fit(Net(), 15)
