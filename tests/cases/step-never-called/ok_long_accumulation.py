"""32 micro-batches to a step, with the gradients divided; the window sees the first steps late."""

import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.AdamW(model.parameters(), lr=1e-2)
N = 32
for i in range(N * 4):
    x = torch.randn(4, 4)
    loss = (model(x) - x[:, :1]).pow(2).mean() / N
    loss.backward()
    if (i + 1) % N == 0:
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        opt.zero_grad()
