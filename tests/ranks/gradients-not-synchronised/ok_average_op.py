"""Gradients are averaged by hooks as they arrive."""

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


torch.manual_seed(0)
x, y = torch.randn(720, 8), torch.randint(3, (720,))
x, y = x[rank::world], y[rank::world]
net = Net()
for p in net.parameters():
    dist.broadcast(p.data, src=0)


def reduce(p):
    dist.all_reduce(p.grad)
    p.grad.div_(world)


for p in net.parameters():
    p.register_post_accumulate_grad_hook(reduce)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()
for step in range(12):
    i = 20 * step % 240
    loss = criterion(net(x[i : i + 20]), y[i : i + 20])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
dist.destroy_process_group()
