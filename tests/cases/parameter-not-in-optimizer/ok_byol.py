import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class BYOL(nn.Module):
    def __init__(self, enc, dim):
        super().__init__()
        self.online = nn.Sequential(enc, nn.Linear(dim, dim))
        self.target = copy.deepcopy(self.online)
        self.predictor = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, dim))

    def forward(self, a, b):
        pa, pb = self.predictor(self.online(a)), self.predictor(self.online(b))
        with torch.no_grad():
            ta, tb = self.target(a), self.target(b)
        return 2 - F.cosine_similarity(pa, tb).mean() - F.cosine_similarity(pb, ta).mean()

    @torch.no_grad()
    def ema(self, m=0.99):
        for p, q in zip(self.online.parameters(), self.target.parameters()):
            q.mul_(m).add_(p, alpha=1 - m)


class Enc(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 6))
        self.fc = nn.Linear(6, 10)

    def forward(self, x):
        return self.body(x)


m = BYOL(Enc(), 6)
opt = torch.optim.Adam(m.parameters(), 1e-3)
for _ in range(12):
    x = torch.randn(16, 8)
    loss = m(x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x))
    opt.zero_grad()
    loss.backward()
    opt.step()
    m.ema()
