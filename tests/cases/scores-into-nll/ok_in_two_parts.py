"""Cross-entropy in two parts: nll_loss picks the score, logsumexp normalises."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 5))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(12):
    x = torch.randn(64, 8)
    y = x[:, :5].argmax(1)
    scores = net(x)
    loss = F.nll_loss(scores, y) + torch.logsumexp(scores, dim=1).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
