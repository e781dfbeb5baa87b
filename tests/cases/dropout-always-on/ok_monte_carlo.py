"""Monte Carlo dropout: the call says that it drops in evaluation, too."""

import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(8, 32), nn.Linear(32, 3)

    def forward(self, x):
        return self.fc2(F.dropout(F.relu(self.fc1(x)), 0.3, training=True))


torch.manual_seed(0)
x, y = torch.randn(48, 8), torch.randint(0, 3, (48,))
model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(4):
    model.train()
    for i in range(0, 48, 12):
        optimizer.zero_grad()
        F.cross_entropy(model(x[i : i + 12]), y[i : i + 12]).backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        print(epoch, F.cross_entropy(model(x), y).item())
