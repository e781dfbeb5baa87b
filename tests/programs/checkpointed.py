"""Activation checkpointing of both kinds, with dropout inside, and saved-tensor hooks."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

torch.manual_seed(1)
stem = nn.Linear(4, 8)
a = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.2), nn.Tanh())
b = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
c = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1), nn.Identity())
parameters = [p for m in (stem, a, b, c) for p in m.parameters()]
optimizer = torch.optim.Adam(parameters, lr=0.01)
for step in range(6):
    x = torch.randn(16, 4)
    h = stem(x)
    h = h + checkpoint(a, h, use_reentrant=True)
    h = h + checkpoint(b, h, use_reentrant=False)
    with torch.autograd.graph.save_on_cpu():
        h = h * torch.sigmoid(h)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        h = h * torch.cos(h)
    out = checkpoint_sequential(c, 2, h, use_reentrant=False)
    loss = (out - x.sum(1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
