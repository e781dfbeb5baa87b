"""A function for each epoch."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

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


def run_epoch(ddp, loader, optimizer):
    for xb, yb in loader:  # <- cause
        loss = nn.functional.cross_entropy(ddp(xb), yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


torch.manual_seed(0)
data = TensorDataset(torch.randn(720, 8), torch.randint(3, (720,)))
loader = DataLoader(data, batch_size=20, sampler=DistributedSampler(data, seed=3), drop_last=True)
ddp = DDP(Net())
optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)
for epoch in range(3):
    run_epoch(ddp, loader, optimizer)
dist.destroy_process_group()
