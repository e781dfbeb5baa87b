"""A classifier head unused in pre-training, a shared layer applied twice beside others used once."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp = nn.Linear(6, 8)
        self.shared = nn.Linear(8, 8)
        self.fc = nn.Linear(8, 10)

    def features(self, x):
        h = torch.relu(self.inp(x))
        for _ in range(3):
            h = torch.relu(self.shared(h)) + h
        return h


enc = Encoder()
proj = nn.Linear(8, 4)
opt = torch.optim.Adam([*enc.parameters(), *proj.parameters()], 1e-2)
for _ in range(12):
    x = torch.randn(16, 6)
    a = F.normalize(proj(enc.features(x + 0.1 * torch.randn_like(x))), dim=1)
    b = F.normalize(proj(enc.features(x + 0.1 * torch.randn_like(x))), dim=1)
    loss = F.cross_entropy(a @ b.t() / 0.2, torch.arange(16))
    opt.zero_grad()
    loss.backward()
    opt.step()
