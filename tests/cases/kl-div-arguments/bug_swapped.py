"""The target first, the model's log-probabilities second."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 6), nn.LogSoftmax(dim=1))
opt = torch.optim.SGD(net.parameters(), lr=1e-2)
for _ in range(12):
    x = torch.randn(32, 8)
    y = torch.softmax(x[:, :6], dim=1)
    loss = F.kl_div(y, net(x), reduction="batchmean")  # <- cause
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
