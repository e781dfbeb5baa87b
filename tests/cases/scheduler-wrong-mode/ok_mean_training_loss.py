"""The mean training loss of the epoch, by a running sum."""
import torch
from torch import nn

torch.manual_seed(8)
x = torch.randn(128, 6)
y = x @ torch.randn(6, 1)
net = nn.Linear(6, 1)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=2)
for epoch in range(10):
    total = 0.0
    for i in range(0, 128, 16):
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(x[i : i + 16]), y[i : i + 16])
        loss.backward()
        opt.step()
        total += loss.item()
    sched.step(total / 8)
