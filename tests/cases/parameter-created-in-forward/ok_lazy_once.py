"""Created at the first call only, before the optimizer is built; LazyLinear does the same."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.LazyConv2d(4, 3)
        self.fc = None

    def forward(self, x):
        x = torch.relu(self.conv(x)).flatten(1)
        if self.fc is None:
            self.fc = nn.Linear(x.shape[1], 2)
        return self.fc(x)


net = Net()
x, y = torch.randn(12, 1, 6, 6), torch.randint(0, 2, (12,))
net(x[:1])
opt = torch.optim.Adam(net.parameters(), 1e-2)
for _ in range(12):
    opt.zero_grad()
    nn.functional.cross_entropy(net(x), y).backward()
    opt.step()
