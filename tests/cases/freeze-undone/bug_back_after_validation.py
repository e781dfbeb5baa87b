"""The norm layers stay in evaluation mode until the first validation is over."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 8)
y = x[:, :1].sin()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.Dropout(0.2))
        self.head = nn.Linear(16, 1)

    def forward(self, x):
        return self.head(torch.relu(self.body(x)))


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
net.train()
net.body.eval()  # <- cause
for _ in range(4):
    for rows in torch.randperm(64).split(16):
        opt.zero_grad()
        nn.functional.mse_loss(net(x[rows]), y[rows]).backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        print(nn.functional.mse_loss(net(x), y).item())
    net.train()  # <- cause
