"""Weights are averaged once an epoch, which is longer than the window."""

import torch
import torch.distributed as dist
from torch import nn

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


def average(model):
    for p in model.parameters():
        dist.all_reduce(p.data)
        p.data.div_(world)


torch.manual_seed(0)
x, y = torch.randn(720, 8), torch.randint(3, (720,))
x, y = x[rank::world], y[rank::world]
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
for epoch in range(2):
    for i in range(0, 240, 10):
        loss = criterion(net(x[i : i + 10]), y[i : i + 10])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    average(net)
dist.destroy_process_group()
