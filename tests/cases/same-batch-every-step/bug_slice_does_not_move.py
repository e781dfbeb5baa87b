"""The loop counts batches, the slice does not."""
import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 1)

    def forward(self, x):
        return self.fc(x)


def train(net, x, y, size=25):
    opt = torch.optim.SGD(net.parameters(), lr=1e-2)
    for epoch in range(3):
        for start in range(0, len(x), size):
            xb = x[0:size]  # <- cause
            yb = y[0:size]  # <- cause
            loss = ((net(xb) - yb) ** 2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()


torch.manual_seed(0)
x = torch.randn(200, 6)
train(Net(), x, x.sum(1, keepdim=True))
