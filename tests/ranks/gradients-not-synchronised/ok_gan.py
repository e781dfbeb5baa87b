"""Two wrapped models, trained in turn."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(0)
x = torch.randn(720, 8) + 1.0
x = x[rank::world]
generator = DDP(nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 8)))
critic = DDP(nn.Sequential(nn.Linear(8, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1)))
torch.manual_seed(100 + rank)
g_optimizer = torch.optim.Adam(generator.parameters(), lr=1e-3)
d_optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3)
bce = nn.BCEWithLogitsLoss()
for step in range(8):
    real = x[20 * step : 20 * step + 20]
    fake = generator(torch.randn(20, 4))
    scores = critic(torch.cat([real, fake.detach()]))
    labels = torch.cat([torch.ones(20, 1), torch.zeros(20, 1)])
    d_optimizer.zero_grad()
    bce(scores, labels).backward()
    d_optimizer.step()
    g_optimizer.zero_grad()
    bce(critic(fake), torch.ones(20, 1)).backward()
    g_optimizer.step()
dist.destroy_process_group()
