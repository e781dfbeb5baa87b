"""A ReLU in the hidden layers, a single outlier among the targets, a bootstrapped target."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net, gate = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1)), nn.Linear(6, 1)
opt = torch.optim.Adam([*net.parameters(), *gate.parameters()], lr=1e-2)
for _ in range(12):
    x = torch.randn(32, 6)
    share = torch.rand(32, 1)
    share[0] = 1.3
    loss = F.mse_loss(net(x), 5 * x[:, :1]) + F.mse_loss(torch.sigmoid(gate(x)), share)
    goal = (torch.tanh(gate(x)) + 2 * x[:, :1]).detach()
    loss = loss + F.mse_loss(torch.tanh(gate(x)), 0.9 * goal.clamp(-1, 1))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
