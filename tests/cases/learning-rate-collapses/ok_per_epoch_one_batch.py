"""A loader with two batches; the scheduler is stepped once an epoch, and exponential decay is quick."""

import torch
import torch.nn as nn

torch.manual_seed(0)
data = torch.utils.data.TensorDataset(torch.randn(20, 4), torch.randint(0, 2, (20,)))
loader = torch.utils.data.DataLoader(data, batch_size=10)
net = nn.Linear(4, 2)
opt = torch.optim.Adam(net.parameters(), lr=0.01)
sched = torch.optim.lr_scheduler.ExponentialLR(opt, gamma=0.7)
for epoch in range(15):
    for xb, yb in loader:
        opt.zero_grad()
        nn.functional.cross_entropy(net(xb), yb).backward()
        opt.step()
    sched.step()
