"""A layer that forward no longer calls."""
import torch
import torch.distributed as dist
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 8)
        self.old_gate = nn.Linear(6, 8)  # <- cause
        self.last = nn.Linear(8, 2)

    def forward(self, x):
        return self.last(torch.relu(self.first(x)))


dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
model = nn.parallel.DistributedDataParallel(Net())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(16, 6), torch.randint(2, (16,))
for step in range(3):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
