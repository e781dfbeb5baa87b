"""A builder function freezes by default; the caller trains from scratch and does not know."""

import torch
import torch.nn as nn

torch.manual_seed(0)


def build_backbone(width=8, layers=2, trainable=False):  # <- cause
    blocks = [nn.Sequential(nn.Conv1d(1 if i == 0 else width, width, 3, padding=1), nn.ReLU()) for i in range(layers)]
    net = nn.Sequential(*blocks)
    if not trainable:
        for p in net.parameters():
            p.requires_grad_(False)  # <- cause
    return net


class Forecaster(nn.Module):
    def __init__(self, horizon):
        super().__init__()
        self.backbone = build_backbone(width=8)  # <- cause
        self.head = nn.Linear(8, horizon)

    def forward(self, x):
        return self.head(self.backbone(x.unsqueeze(1)).mean(-1))


net = Forecaster(4)
opt = torch.optim.AdamW(net.parameters(), lr=1e-2)
t = torch.rand(32, 1) * 6 + torch.arange(20) * 0.3
x, y = t.sin()[:, :16], t.sin()[:, 16:]
for _ in range(12):
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
