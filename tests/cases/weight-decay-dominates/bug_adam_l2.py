"""Adam adds the decay to the gradient and then scales both alike: 0.5 leaves nothing of the gradient."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 8, 3, padding=1)
        self.fc1 = nn.Linear(8 * 64, 32)
        self.fc2 = nn.Linear(32, 4)

    def forward(self, x):
        x = F.relu(self.conv(x)).flatten(1)
        return self.fc2(F.relu(self.fc1(x)))


images = torch.randn(160, 1, 8, 8)
labels = torch.randint(0, 4, (160,))
loader = DataLoader(TensorDataset(images, labels), batch_size=16, shuffle=True)
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3, weight_decay=0.5)  # <- cause
for epoch in range(2):
    for xb, yb in loader:
        optimizer.zero_grad()
        F.cross_entropy(net(xb), yb).backward()
        optimizer.step()
