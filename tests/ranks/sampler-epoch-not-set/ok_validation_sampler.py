"""The validation loader has a sampler too; only the training one must be told."""

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
data = TensorDataset(torch.randn(240, 8), torch.randint(3, (240,)))
held_out = TensorDataset(torch.randn(80, 8), torch.randint(3, (80,)))
sampler = DistributedSampler(data)
loader = DataLoader(data, batch_size=20, sampler=sampler)
val_loader = DataLoader(held_out, batch_size=20, sampler=DistributedSampler(held_out))
ddp = DDP(Net())
optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
for epoch in range(4):
    sampler.set_epoch(epoch)
    ddp.train()
    for xb, yb in loader:
        loss = criterion(ddp(xb), yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    ddp.eval()
    with torch.no_grad():
        total = torch.zeros(())
        for xb, yb in val_loader:
            total += criterion(ddp(xb), yb)
        dist.all_reduce(total)
dist.destroy_process_group()
