"""In-place operations everywhere: on activations, on views, with masks, out= and augmented assignments."""

import torch
from torch import nn

torch.manual_seed(1)
model = nn.ModuleList([nn.Linear(4, 8), nn.Linear(8, 8), nn.Linear(8, 1)])
optimizer = torch.optim.ASGD(model.parameters(), lr=0.05)
cache = torch.zeros(16, 8)
for step in range(8):
    x = torch.randn(16, 4)
    h = nn.functional.leaky_relu(model[0](x), 0.1).clone()
    h[:, :2] *= 0.5
    h += 0.1
    buffer = torch.zeros(16, 8)
    buffer[:, :] = model[1](h)
    buffer.view(32, 4)[::2].mul_(2)
    buffer[buffer > 1] = 1.0
    buffer.masked_fill_(buffer.detach() < -1, -1.0)
    with torch.no_grad():
        torch.add(cache, buffer, alpha=0.1, out=cache)
        cache.clamp_(-1, 1)
    out = model[2](buffer.add_(cache))
    loss = (out - x.sum(1, keepdim=True)).square_().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
