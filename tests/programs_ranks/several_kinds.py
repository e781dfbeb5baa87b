"""One loop over three models: DistributedDataParallel, fully_shard and tensor parallelism. Prints what each rank ends with."""

import hashlib
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel

torch.set_num_threads(1)
dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
mesh = init_device_mesh("cpu", (world,))
torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 16)
        self.norm = nn.LayerNorm(16)
        self.last = nn.Linear(16, 4)

    def forward(self, x):
        return self.last(torch.relu(self.norm(self.first(x))))


replicated = DistributedDataParallel(
    nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.Dropout(0.1), nn.Linear(16, 4))
)
sharded = Net()
fully_shard(sharded.first, mesh=mesh)
fully_shard(sharded, mesh=mesh)
parallel = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
parallelize_module(parallel, mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()})

optimizers = [
    torch.optim.AdamW(replicated.parameters(), lr=1e-2),
    torch.optim.SGD(sharded.parameters(), lr=1e-2, momentum=0.9),
    torch.optim.AdamW(parallel.parameters(), lr=1e-2),
]
losses = []
for step in range(4):
    for number, (model, optimizer) in enumerate(
        zip((replicated, sharded, parallel), optimizers, strict=True)
    ):
        # tensor parallel ranks share their data, the others do not
        torch.manual_seed(100 * step + (0 if number == 2 else rank))
        x = torch.randn(16, 8)
        loss = nn.functional.cross_entropy(model(x), (x[:, :4].argmax(1)))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())

state = hashlib.sha256(repr(losses).encode())
for model in (replicated, sharded, parallel):
    for tensor in (*model.parameters(), *model.buffers()):
        local = tensor.to_local() if hasattr(tensor, "to_local") else tensor
        state.update(local.detach().numpy().tobytes())
state.update(torch.get_rng_state().numpy().tobytes())
print(f"rank {rank} of {world}: {state.hexdigest()} {'WHYGRAD_JOB' in os.environ}\n", end="", flush=True)
dist.destroy_process_group()
