"""One rank goes another way: the second argument says how. Rank 0 has one batch more than rank 1, but for ``more-steps``."""

import os
import signal
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

torch.set_num_threads(1)
dist.init_process_group("gloo")
rank, how = dist.get_rank(), sys.argv[1]
model = DistributedDataParallel(nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
if how == "more-steps" and rank == 0:
    own = nn.Linear(8, 1)
    second = torch.optim.SGD(own.parameters(), lr=1e-2)
for batch in range(40 if how == "more-steps" else 5 if rank == 0 else 4):
    x = torch.randn(16, 8)
    if how == "more-steps" and rank == 0:
        for _ in range(4):
            second.zero_grad()
            own(x).square().mean().backward()
            second.step()
    if batch == 3 and rank == 1 and how == "raises":
        raise ValueError("a fault of rank 1's own")
    if batch == 3 and rank == 1 and how == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()  # <- rank 0 waits here
    optimizer.step()
dist.barrier()  # <- rank 1 waits here
