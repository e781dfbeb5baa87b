"""Each rank draws its batches at random from all of the data."""

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
x, y = torch.randn(120, 8), torch.randint(3, (120,))
torch.manual_seed(10 + rank)
ddp = DDP(Net())
optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
for step in range(12):
    rows = torch.randint(120, (20,))
    loss = criterion(ddp(x[rows]), y[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
dist.destroy_process_group()
