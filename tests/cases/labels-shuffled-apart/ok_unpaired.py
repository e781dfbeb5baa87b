"""Two domains without pairs, and noise that is matched to data: each loss has an input that goes with its target."""
import torch
import torch.nn as nn

torch.manual_seed(0)
a, b = torch.randn(100, 4), torch.randn(100, 4) + 1
to_b, to_a, flow = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(5, 4)
opt = torch.optim.Adam([*to_b.parameters(), *to_a.parameters(), *flow.parameters()], lr=1e-3)
for step in range(12):
    real_a, real_b = a[torch.randperm(100)[:16]], b[torch.randperm(100)[:16]]
    loss = nn.functional.l1_loss(to_a(to_b(real_a)), real_a) + nn.functional.l1_loss(to_b(to_a(real_b)), real_b)
    noise, t = torch.randn(16, 4), torch.rand(16, 1)
    point = (1 - t) * noise + t * real_a
    loss = loss + nn.functional.mse_loss(flow(torch.cat([point, t], 1)), real_a - noise)
    opt.zero_grad()
    loss.backward()
    opt.step()
