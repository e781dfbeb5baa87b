"""A loader with a batch of four, and features of one pixel."""

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
        self.conv = nn.Conv2d(3, 8, 4)
        self.norm = nn.BatchNorm2d(8)  # <- cause
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        return self.head(torch.relu(self.norm(self.conv(x))).flatten(1))


torch.manual_seed(0)
data = TensorDataset(torch.randn(160, 3, 4, 4), torch.randint(3, (160,)))
sampler = DistributedSampler(data)
loader = DataLoader(data, batch_size=4, sampler=sampler)  # <- cause
ddp = DDP(Net())
optimizer = torch.optim.SGD(ddp.parameters(), lr=0.01)
criterion = nn.CrossEntropyLoss()
for epoch in range(2):
    sampler.set_epoch(epoch)
    for xb, yb in loader:
        loss = criterion(ddp(xb), yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
dist.destroy_process_group()
