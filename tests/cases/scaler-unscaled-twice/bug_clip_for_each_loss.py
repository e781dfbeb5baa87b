"""Gradients are unscaled for clipping after each of two losses."""
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(6, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=128.0)


def clip():
    scaler.unscale_(optimizer)  # <- cause
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)


for step in range(3):
    x = torch.randn(16, 6)
    optimizer.zero_grad()
    for part in x.split(8):
        scaler.scale(model(part).square().mean()).backward()
        clip()
    scaler.step(optimizer)
    scaler.update()
