"""Each step uses one of two heads; the other one gets no gradient."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()


class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 16)
        self.heads = nn.ModuleList(nn.Linear(16, 3) for _ in range(2))

    def forward(self, x, task):
        return self.heads[task](torch.relu(self.body(x)))


torch.manual_seed(0)
x, y = torch.randn(720, 8), torch.randint(3, (720,))
x, y = x[rank::world], y[rank::world]
ddp = DDP(Two(), find_unused_parameters=True)
optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
for step in range(12):
    i = 20 * step % 240
    loss = criterion(ddp(x[i : i + 20], (step + rank) % 2), y[i : i + 20])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
dist.destroy_process_group()
