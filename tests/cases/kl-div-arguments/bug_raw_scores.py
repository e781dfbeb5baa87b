"""nn.KLDivLoss on scores that were never normalised."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 6))
criterion = nn.KLDivLoss(reduction="batchmean")
opt = torch.optim.SGD(net.parameters(), lr=1e-2)
for _ in range(12):
    x = torch.randn(32, 8)
    y = torch.softmax(x[:, :6], dim=1)
    loss = criterion(net(x), y)  # <- cause
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
