"""Rank 0 validates after the first epoch and stays in evaluation mode."""

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
ddp = DDP(Net())
torch.manual_seed(100 + rank)
optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()


@torch.no_grad()
def validate(model):
    model.eval()  # <- cause
    return criterion(model(x), y).item()


ddp.train()
for epoch in range(4):
    for i in range(0, 80, 20):
        loss = criterion(ddp(x[i : i + 20]), y[i : i + 20])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if rank == 0:
        print(epoch, validate(ddp.module))
dist.destroy_process_group()
