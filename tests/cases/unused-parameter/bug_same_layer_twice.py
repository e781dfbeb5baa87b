"""Copy and paste: conv2 is called where conv3 was meant."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.conv2 = nn.Conv2d(8, 8, 3, padding=1)
        self.conv3 = nn.Conv2d(8, 8, 3, padding=1)
        self.fc = nn.Linear(8, 2)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))  # <- cause
        x = F.relu(self.conv2(x))  # <- cause
        return self.fc(x.mean((2, 3)))


net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.05)
x, y = torch.randn(16, 1, 6, 6), torch.randint(0, 2, (16,))
for _ in range(12):
    opt.zero_grad()
    F.cross_entropy(net(x), y).backward()
    opt.step()
