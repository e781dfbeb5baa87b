"""log_softmax in forward, in the loop, and as a logarithm of a softmax."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 5), nn.LogSoftmax(dim=-1))
head = nn.Linear(6, 5)
opt = torch.optim.SGD([*net.parameters(), *head.parameters()], lr=1e-3)
size = torch.full((3,), 15), torch.full((3,), 4)
for _ in range(12):
    x, y = torch.randn(3, 15, 6), torch.randint(1, 5, (3, 4))
    loss = nn.CTCLoss()(net(x).transpose(0, 1), y, *size)
    loss = loss + F.ctc_loss(head(x).transpose(0, 1).softmax(2).log(), y, *size)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
