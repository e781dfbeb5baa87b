"""Two samples on each rank, and BatchNorm in evaluation mode, as a loaded model is tuned."""

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
        self.body[1].eval()
        return self.head(self.body(x))


torch.manual_seed(0)
x, y = torch.randn(720, 8), torch.randint(3, (720,))
x, y = x[rank::world], y[rank::world]
ddp = DDP(Net())
torch.manual_seed(100 + rank)
optimizer = torch.optim.SGD(ddp.parameters(), lr=0.01)
criterion = nn.CrossEntropyLoss()
for step in range(12):
    i = 2 * step
    loss = criterion(ddp(x[i : i + 2]), y[i : i + 2])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
dist.destroy_process_group()
