import torch, torch.nn as nn
torch.manual_seed(0)
class MoE(nn.Module):
    def __init__(s, n=3): super().__init__(); s.r = nn.Linear(4, n); s.e = nn.ModuleList([nn.Linear(4, 4) for _ in range(n)])
    def forward(s, x):
        p = s.r(x).softmax(-1); hard = nn.functional.one_hot(p.argmax(-1), 3) * p
        return sum(e(x) * hard[:, k:k + 1] for k, e in enumerate(s.e))
m = MoE(); opt = torch.optim.Adam(m.parameters(), 1e-3)
with torch.no_grad(): m.r.bias[2] = -30.0
for i in range(14):
    x = torch.randn(16, 4); loss = (m(x) - x.flip(1)).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step()
