"""One zero layer each: LoRA's B, ReZero's scalar, a zero last conv (ControlNet), DiT's adaLN-zero, zero BatchNorm gamma."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class LoRA(nn.Module):
    def __init__(self, base, r=2):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.a = nn.Parameter(torch.randn(r, base.in_features) * 0.1)
        self.b = nn.Parameter(torch.zeros(base.out_features, r))

    def forward(self, x):
        return self.base(x) + x @ self.a.T @ self.b.T


class ReZero(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, dim)
        self.alpha = nn.Parameter(torch.zeros(()))

    def forward(self, x):
        return x + self.alpha * torch.tanh(self.fc(x))


class AdaZero(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, dim)
        self.mod = nn.Sequential(nn.SiLU(), nn.Linear(dim, 2 * dim))
        nn.init.zeros_(self.mod[1].weight)
        nn.init.zeros_(self.mod[1].bias)

    def forward(self, x):
        scale, gate = self.mod(x).chunk(2, -1)
        return x + gate * self.fc(x * (1 + scale))


class ZeroLast(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, dim))
        nn.init.zeros_(self.net[2].weight)
        nn.init.zeros_(self.net[2].bias)
        self.bn = nn.BatchNorm1d(dim)
        nn.init.zeros_(self.bn.weight)
        self.inner = nn.Linear(dim, dim)

    def forward(self, x):
        return x + self.net(x) + self.bn(self.inner(x))


model = nn.Sequential(LoRA(nn.Linear(5, 12)), ReZero(12), AdaZero(12), ZeroLast(12), nn.Linear(12, 1))
opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-2)
for step in range(15):
    x = torch.randn(32, 5)
    loss = nn.functional.mse_loss(model(x), x.prod(1, keepdim=True))
    opt.zero_grad()
    loss.backward()
    opt.step()
