"""Under Adam a factor cancels, but the clipping meets the sum of eight."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for i in range(64):
    x = torch.randn(8, 6)
    loss = F.smooth_l1_loss(model(x), x.sum(1, keepdim=True))  # <- cause
    loss.backward()  # <- cause
    if i % 8 == 7:
        nn.utils.clip_grad_norm_(model.parameters(), 3.0)
        optimizer.step()
        optimizer.zero_grad()
