"""BatchNorm with broadcast_buffers=False, and data of one distribution."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2))
        self.head = nn.Linear(16, 3)

    def forward(self, x):
        return self.head(self.body(x))


torch.manual_seed(0)
x, y = torch.randn(720, 8), torch.randint(3, (720,))
x, y = x[rank::world], y[rank::world]
ddp = DDP(Net(), broadcast_buffers=False)
torch.manual_seed(100 + rank)
optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
for step in range(12):
    i = 20 * step % 240
    loss = criterion(ddp(x[i : i + 20]), y[i : i + 20])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
dist.destroy_process_group()
