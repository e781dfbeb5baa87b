# whygrad run --overfit
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
images = torch.randn(256, 1, 8, 8)
labels = torch.randint(10, (256,))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3)
        self.fc = nn.Linear(8 * 36, 10)

    def forward(self, x):
        x = (x / 255).clamp(1, 2)  # scaled already: all of it ends up at the lower bound
        return self.fc(F.relu(self.conv(x)).flatten(1))


net = Net()
optimizer = torch.optim.Adam(net.parameters(), 1e-2)
for epoch in range(100):
    order = torch.randperm(256)
    for start in range(0, 256, 32):
        rows = order[start : start + 32]
        loss = F.cross_entropy(net(images[rows]), labels[rows])  # <- cause
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
