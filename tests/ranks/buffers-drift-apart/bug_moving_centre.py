"""A moving average of features in a buffer, which DDP was told not to send round."""

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
        self.register_buffer("centre", torch.zeros(16))

    def forward(self, x):
        h = torch.relu(self.encoder(x))
        with torch.no_grad():
            self.centre.lerp_(h.mean(0), 0.1)  # <- cause
        return self.head(h - self.centre)


torch.manual_seed(0)
x, y = torch.randn(720, 8), torch.randint(3, (720,))
x, y = x[rank::world], y[rank::world]
ddp = DDP(Net(), broadcast_buffers=False)  # <- cause
optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
for step in range(12):
    i = 20 * step % 240
    loss = criterion(ddp(x[i : i + 20] + rank), y[i : i + 20])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
dist.destroy_process_group()
