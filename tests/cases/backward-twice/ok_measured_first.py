"""A first pass only measures the gradient of one loss, and is cleared before the pass that counts."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
for step in range(15):
    x = torch.randn(32, 8)
    out = model(x)
    loss = F.mse_loss(out, x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    norm = sum(float(p.grad.norm()) for p in model.parameters())
    optimizer.zero_grad()
    (loss + 0.01 * out.pow(2).mean()).backward()
    optimizer.step()
