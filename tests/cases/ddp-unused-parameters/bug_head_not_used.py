"""An auxiliary head is part of the model, but its output is left out of the loss."""
import torch
import torch.distributed as dist
from torch import nn

torch.manual_seed(0)


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(6, 8)
        self.main = nn.Linear(8, 2)
        self.auxiliary = nn.Linear(8, 3)

    def forward(self, x):
        h = torch.relu(self.body(x))
        return self.main(h), self.auxiliary(h)  # <- cause


dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
model = nn.parallel.DistributedDataParallel(TwoHeads())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(16, 6), torch.randint(2, (16,))
for step in range(3):
    logits, extra = model(x)
    loss = nn.functional.cross_entropy(logits, y)  # <- cause
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
