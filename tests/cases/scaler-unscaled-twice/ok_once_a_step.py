"""Two optimizers, each unscaled once before its step, and one update for both."""
import torch
from torch import nn

torch.manual_seed(0)
left, right = nn.Linear(6, 4), nn.Linear(4, 2)
optimizers = [torch.optim.SGD(left.parameters(), lr=0.1), torch.optim.SGD(right.parameters(), lr=0.1)]
scaler = torch.amp.GradScaler("cpu", init_scale=128.0)
for step in range(12):
    x = torch.randn(16, 6)
    for optimizer in optimizers:
        optimizer.zero_grad()
    loss = nn.functional.cross_entropy(right(torch.tanh(left(x))), (x.sum(1) > 0).long())
    scaler.scale(loss).backward()
    for optimizer in optimizers:
        scaler.unscale_(optimizer)
        scaler.step(optimizer)
    scaler.update()
