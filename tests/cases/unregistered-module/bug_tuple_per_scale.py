"""(conv, norm) pairs per scale in a list of tuples, in a nested submodule."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class Pyramid(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.stages = [(nn.Conv2d(ch, ch, 3, padding=1), nn.BatchNorm2d(ch)) for _ in range(2)]  # <- cause

    def forward(self, x):
        for conv, norm in self.stages:
            x = torch.relu(norm(conv(x)))
            x = nn.functional.avg_pool2d(x, 2)
        return x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(1, 6, 3, padding=1)
        self.pyramid = Pyramid(6)
        self.head = nn.Linear(6 * 4, 2)

    def forward(self, x):
        return self.head(self.pyramid(self.stem(x)).flatten(1))


net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
data = torch.utils.data.TensorDataset(torch.randn(48, 1, 8, 8), torch.randint(0, 2, (48,)))
loader = torch.utils.data.DataLoader(data, batch_size=8, shuffle=True)
for epoch in range(2):
    for images, labels in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(images), labels).backward()
        optimizer.step()
