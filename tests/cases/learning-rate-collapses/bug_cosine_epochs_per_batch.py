"""T_max is the number of epochs; step() is called for each batch, so that the rate swings up and down."""

import torch
import torch.nn as nn

torch.manual_seed(0)
EPOCHS = 8
net = nn.Sequential(nn.Conv1d(1, 6, 3, padding=1), nn.ReLU(), nn.Conv1d(6, 1, 3, padding=1))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=EPOCHS)
x = torch.randn(64, 1, 16)
for epoch in range(EPOCHS):
    for xb in x.split(8):
        loss = (net(xb) - xb.flip(-1)).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()  # <- cause
