"""Uneven loaders, and a loop that counts its steps."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Subset, TensorDataset

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
data = TensorDataset(torch.randn(600, 8), torch.randint(3, (600,)))
mine = Subset(data, range(260) if rank == 0 else range(260, 600))
loader = DataLoader(mine, batch_size=20, shuffle=True)
ddp = DDP(Net())
optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
for step, (xb, yb) in enumerate(loader):
    if step == 12:
        break
    loss = criterion(ddp(xb), yb)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
dist.destroy_process_group()
