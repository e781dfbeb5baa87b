"""Raw scores into BCELoss: it raises in the first iteration."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(6, 12), nn.Linear(12, 1)

    def forward(self, x):
        return self.fc2(torch.tanh(self.fc1(x))).squeeze(1)


torch.manual_seed(0)
net, criterion = Net(), nn.BCELoss()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(12):
    x = torch.randn(32, 6)
    loss = criterion(net(x), (x[:, 0] > 0).float())  # <- cause
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
