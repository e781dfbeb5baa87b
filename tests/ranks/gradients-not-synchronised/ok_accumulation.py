"""no_sync for all micro-batches but the last one."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(8, 16)
        self.head = nn.Linear(16, 3)

    def encode(self, x):
        return torch.relu(self.encoder(x))

    def forward(self, x):
        return self.head(self.encode(x))


torch.manual_seed(0)
x, y = torch.randn(720, 8), torch.randint(3, (720,))
x, y = x[rank::world], y[rank::world]
ddp = DDP(Net())
optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
for step in range(12):
    optimizer.zero_grad()
    with ddp.no_sync():
        criterion(ddp(x[:20]), y[:20]).div(2).backward()
    i = 20 * step % 240
    criterion(ddp(x[i : i + 20]), y[i : i + 20]).div(2).backward()
    optimizer.step()
dist.destroy_process_group()
