import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

torch.manual_seed(0)
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
mesh = init_device_mesh("cpu", (1, 1), mesh_dim_names=("replicas", "parts"))
HALF = MixedPrecisionPolicy(param_dtype=torch.bfloat16, output_dtype=torch.float32)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.wide, self.narrow = nn.Linear(8, 16), nn.Linear(16, 8)

    def forward(self, x):
        return x + self.narrow(torch.relu(self.wide(x)))


def model():
    return nn.Sequential(Block(), Block(), nn.Linear(8, 1))


sharded, both = model(), model()
with torch.device("meta"):
    late = model()
fully_shard(sharded[0], mesh=mesh["replicas"], mp_policy=HALF)
fully_shard(sharded, mesh=mesh["replicas"])
for block in both[:2]:
    parallelize_module(block, mesh["parts"], {"wide": ColwiseParallel(), "narrow": RowwiseParallel()})
    fully_shard(block, mesh=mesh["replicas"], reshard_after_forward=False)
fully_shard(both, mesh=mesh["replicas"])
fully_shard(late, mesh=mesh["replicas"])
late.to_empty(device="cpu")
for module in late.modules():
    if isinstance(module, nn.Linear):
        module.reset_parameters()
models = (sharded, both, late)
optimizers = [torch.optim.AdamW(m.parameters(), lr=1e-2) for m in models]
for _ in range(6):
    for m, optimizer in zip(models, optimizers, strict=True):
        for part in range(2):
            x = torch.randn(16, 8)
            m.set_requires_gradient_sync(part == 1)
            loss = (m(x).float() - x.sum(1, keepdim=True)).square().mean() / 2
            loss.backward()
        if m is not both:  # its parameters lie on two meshes, of which torch takes no norm
            nn.utils.clip_grad_norm_(m.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
dist.destroy_process_group()
