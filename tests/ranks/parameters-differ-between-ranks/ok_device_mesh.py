"""Tensor parallelism over a device mesh: all ranks see the same batch."""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

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


mesh = init_device_mesh("cpu", (world,))
torch.manual_seed(0)
x, y = torch.randn(240, 8), torch.randint(3, (240,))
net = parallelize_module(Net(), mesh, {"encoder": ColwiseParallel(), "head": RowwiseParallel()})
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
for step in range(12):
    i = 20 * step % 240
    loss = criterion(net(x[i : i + 20]), y[i : i + 20])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
dist.destroy_process_group()
