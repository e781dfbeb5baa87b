"""The same with a reshape before log_softmax, for a 1d network."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Conv1d(2, 8, 5, padding=2), nn.ReLU(), nn.Conv1d(8, 4, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(12):
    x, y = torch.randn(6, 2, 10), torch.randint(0, 4, (6, 10))
    flat = net(x).reshape(60, 4)  # <- cause
    loss = F.nll_loss(F.log_softmax(flat, dim=1), y.flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
