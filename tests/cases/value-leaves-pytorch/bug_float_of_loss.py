"""The losses of a batch are summed as Python floats and wrapped again for backward."""

import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 12), nn.Tanh(), nn.Linear(12, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
mse = nn.MSELoss()


def batch_loss(samples):
    total = 0.0
    for x in samples:
        total += float(mse(net(x), x.sum(-1, keepdim=True)))  # <- cause
    return torch.tensor(total / len(samples), requires_grad=True)  # <- cause


for _ in range(12):
    opt.zero_grad()
    loss = batch_loss(torch.randn(6, 4, 5))
    loss.backward()
    opt.step()
