"""Two images on each rank, of many pixels."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.norm = nn.BatchNorm2d(8)
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        return self.head(torch.relu(self.norm(self.conv(x))).mean((2, 3)))


torch.manual_seed(0)
x, y = torch.randn(72, 3, 12, 12)[rank::world], torch.randint(3, (72,))[rank::world]
ddp = DDP(Net())
optimizer = torch.optim.SGD(ddp.parameters(), lr=0.01)
criterion = nn.CrossEntropyLoss()
for step in range(12):
    i = 2 * step
    loss = criterion(ddp(x[i : i + 2]), y[i : i + 2])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
dist.destroy_process_group()
