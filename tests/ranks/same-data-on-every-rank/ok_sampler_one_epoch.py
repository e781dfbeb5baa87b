"""A DistributedSampler and one epoch, without set_epoch."""

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


torch.manual_seed(0)
data = TensorDataset(torch.randn(720, 8), torch.randint(3, (720,)))
sampler = DistributedSampler(data)
loader = DataLoader(data, batch_size=20, sampler=sampler)
ddp = DDP(Net())
optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
for xb, yb in loader:
    loss = criterion(ddp(xb), yb)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
dist.destroy_process_group()
