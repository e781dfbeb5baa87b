"""Large inputs drive the sigmoid to exactly 0 and 1; that is another story."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 1), nn.Sigmoid())
opt = torch.optim.SGD(net.parameters(), lr=1e-3)
criterion = nn.BCELoss()
for _ in range(12):
    x = 10 * torch.randn(64, 6)
    loss = criterion(net(x).squeeze(1), (x[:, 0] > 0).float())
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
