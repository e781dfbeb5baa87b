import torch, torch.nn as nn
torch.manual_seed(0)
class MoE(nn.Module):
    def __init__(s, n=4): super().__init__(); s.r = nn.Linear(4, n); s.e = nn.ModuleList([nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4)) for _ in range(n)])
    def forward(s, x):
        p = s.r(x).softmax(-1); w, i = p.max(-1); out = torch.zeros_like(x)
        for k, e in enumerate(s.e):
            m = i == k
            if m.any(): out[m] = e(x[m]) * w[m, None]
        return out, p
m = MoE(); opt = torch.optim.Adam(m.parameters(), 1e-2)
with torch.no_grad(): m.r.bias[0] = -3.0
for i in range(14):
    x = torch.randn(6, 4); y, p = m(x); loss = (y - x.flip(1)).pow(2).mean() + 0.01 * (p.mean(0) ** 2).sum(); opt.zero_grad(); loss.backward(); opt.step()
