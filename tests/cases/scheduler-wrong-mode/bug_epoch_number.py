"""The old habit: the number of the epoch is given to every scheduler."""
import torch
from torch import nn

torch.manual_seed(3)
x, w = torch.randn(128, 6), torch.randn(6, 1)
y = x @ w
net = nn.Linear(6, 1)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, patience=1)  # <- cause
for epoch in range(10):
    for i in range(0, 128, 16):
        opt.zero_grad()
        nn.functional.mse_loss(net(x[i : i + 16]), y[i : i + 16]).backward()
        opt.step()
    scheduler.step(epoch)  # <- cause
