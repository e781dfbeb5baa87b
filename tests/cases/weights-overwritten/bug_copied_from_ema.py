"""Evaluation swaps in the averaged weights and never swaps back; the average itself stands still (decay 1)."""

import copy

import torch
import torch.nn as nn

torch.manual_seed(0)


class EMA:
    def __init__(self, model, decay):
        self.decay = decay
        self.shadow = {k: v.clone() for k, v in model.state_dict().items()}

    def update(self, model):
        for k, v in model.state_dict().items():
            self.shadow[k] = self.decay * self.shadow[k] + (1 - self.decay) * v

    def copy_to(self, model):
        with torch.no_grad():
            for k, p in model.named_parameters():
                p.copy_(self.shadow[k])  # <- cause


net = nn.Sequential(nn.Linear(5, 10), nn.Tanh(), nn.Linear(10, 1))
ema = EMA(net, decay=1.0)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
x = torch.randn(64, 5)
for step in range(24):
    loss = (net(x) - x[:, :1]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    ema.update(net)
    if step % 2 == 1:
        ema.copy_to(net)  # <- cause
        with torch.no_grad():
            val = (net(x) - x[:, :1]).pow(2).mean()
