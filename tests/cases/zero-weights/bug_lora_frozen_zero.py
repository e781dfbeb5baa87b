import torch, torch.nn as nn
torch.manual_seed(0)
class L(nn.Module):
    def __init__(s, base, r=2):
        super().__init__(); s.base = base.requires_grad_(False); s.A = nn.Linear(base.in_features, r, bias=False); s.B = nn.Linear(r, base.out_features, bias=False)
        nn.init.zeros_(s.B.weight)  # <- cause
        s.B.weight.requires_grad = False
    def forward(s, x): return s.base(x) + s.B(s.A(x))
m = nn.Sequential(L(nn.Linear(4, 8)), nn.ReLU(), nn.Linear(8, 2)); opt = torch.optim.Adam([p for p in m.parameters() if p.requires_grad], 1e-2)
for i in range(12):
    loss = nn.functional.cross_entropy(m(torch.randn(8, 4)), torch.randint(0, 2, (8,))); opt.zero_grad(); loss.backward(); opt.step()
