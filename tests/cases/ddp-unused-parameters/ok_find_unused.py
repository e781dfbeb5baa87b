"""A branch that only some batches take, with find_unused_parameters=True."""
import torch
import torch.distributed as dist
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.left, self.right, self.last = nn.Linear(6, 8), nn.Linear(6, 8), nn.Linear(8, 2)

    def forward(self, x, step):
        branch = self.left if step % 2 else self.right
        return self.last(torch.relu(branch(x)))


dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
model = nn.parallel.DistributedDataParallel(Net(), find_unused_parameters=True)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(12):
    x = torch.randn(16, 6)
    loss = nn.functional.cross_entropy(model(x, step), (x.sum(1) > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
dist.destroy_process_group()
