"""The same with one flat buffer and an explicit SUM; momentum and clipping."""

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


def average(net):
    flat = nn.utils.parameters_to_vector([p.grad for p in net.parameters()])
    dist.all_reduce(flat, op=dist.ReduceOp.SUM)  # <- cause
    nn.utils.vector_to_parameters(flat, [p.grad for p in net.parameters()])


torch.manual_seed(0)
x, y = torch.randn(720, 8), torch.randint(3, (720,))
x, y = x[rank::world], y[rank::world]
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.9)
criterion = nn.MSELoss()
y = nn.functional.one_hot(y, 3).float()
for step in range(12):
    i = 20 * step % 240
    loss = criterion(net(x[i : i + 20]), y[i : i + 20])
    optimizer.zero_grad()
    loss.backward()
    average(net)
    nn.utils.clip_grad_norm_(net.parameters(), 0.5)
    optimizer.step()
dist.destroy_process_group()
