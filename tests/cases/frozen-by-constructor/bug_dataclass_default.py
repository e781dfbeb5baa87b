"""The default of a configuration class freezes the encoder."""

from dataclasses import dataclass

import torch
import torch.nn as nn

torch.manual_seed(0)


@dataclass
class Config:
    dim: int = 8
    lr: float = 1e-2
    freeze_encoder: bool = True  # <- cause


class Net(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(5, cfg.dim), nn.ReLU(), nn.Linear(cfg.dim, cfg.dim))
        self.head = nn.Linear(cfg.dim, 2)
        if cfg.freeze_encoder:
            self.encoder.requires_grad_(False)  # <- cause

    def forward(self, x):
        return self.head(self.encoder(x))


cfg = Config(dim=12)
net = Net(cfg)  # <- cause
opt = torch.optim.Adam(net.parameters(), cfg.lr)
x, y = torch.randn(40, 5), torch.randint(0, 2, (40,))
for _ in range(12):
    opt.zero_grad()
    nn.functional.cross_entropy(net(x), y).backward()
    opt.step()
