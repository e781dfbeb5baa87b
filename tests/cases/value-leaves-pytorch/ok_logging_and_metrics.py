"""Numbers leave for logging, early stopping, a moving average and a loss weight that is a constant."""

import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
history, ema = [], None
for _ in range(12):
    x = torch.randn(32, 6)
    y = x[:, :3].argmax(1)
    logits = model(x)
    ce = nn.functional.cross_entropy(logits, y)
    reg = sum(p.pow(2).sum() for p in model.parameters())
    scale = ce.item() / (reg.item() + 1e-8)
    loss = ce + 0.01 * scale * reg
    opt.zero_grad()
    loss.backward()
    opt.step()
    history.append(float(loss))
    ema = loss.item() if ema is None else 0.9 * ema + 0.1 * loss.item()
    acc = np.mean(logits.detach().numpy().argmax(1) == y.numpy())
