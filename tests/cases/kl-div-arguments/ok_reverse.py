"""The reverse divergence: the model is the second argument, in its form."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Linear(8, 6)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(12):
    x = torch.randn(32, 8)
    goal = F.log_softmax(x[:, :6], dim=-1)
    loss = F.kl_div(goal, F.softmax(net(x), dim=-1), reduction="batchmean")
    loss = loss + F.kl_div(goal, F.log_softmax(net(x), dim=-1), reduction="batchmean", log_target=True)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
