"""A trainer class that evaluates on one rank; dropout by its functional form, gradients by hand."""

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

    def forward(self, x):
        h = nn.functional.dropout(torch.relu(self.encoder(x)), 0.3, training=self.training)
        return self.head(h)


class Trainer:
    def __init__(self, net):
        self.net = net
        self.optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
        self.criterion = nn.CrossEntropyLoss()

    def evaluate(self, x, y):
        self.net.eval()  # <- cause
        with torch.no_grad():
            return (self.net(x).argmax(1) == y).float().mean().item()

    def fit(self, x, y):
        if rank == 0:
            print("before", self.evaluate(x, y))  # <- cause
        for step in range(12):
            i = 20 * step % 240
            loss = self.criterion(self.net(x[i : i + 20]), y[i : i + 20])
            self.optimizer.zero_grad()
            loss.backward()
            for p in self.net.parameters():
                dist.all_reduce(p.grad)
                p.grad /= world
            self.optimizer.step()


torch.manual_seed(0)
x, y = torch.randn(720, 8), torch.randint(3, (720,))
x, y = x[rank::world], y[rank::world]
net = Net()
torch.manual_seed(7 + rank)
Trainer(net).fit(x, y)
dist.destroy_process_group()
