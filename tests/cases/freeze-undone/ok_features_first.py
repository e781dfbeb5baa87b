"""The encoder is put into evaluation mode to find out its size and the mean of its features; then the whole trains."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 8)
y = x[:, :1].sin()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.Dropout(0.1), nn.ReLU())
        self.encoder.eval()
        with torch.no_grad():
            size = self.encoder(torch.zeros(1, 8)).shape[1]
        self.head = nn.Linear(size, 1)

    def forward(self, x):
        return self.head(self.encoder(x))


net = Net()
net.train()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(4):
    for rows in torch.randperm(64).split(16):
        opt.zero_grad()
        nn.functional.mse_loss(net(x[rows]), y[rows]).backward()
        opt.step()
