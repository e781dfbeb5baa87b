import torch, torch.nn as nn, math
torch.manual_seed(0)
class LoRA(nn.Module):
    def __init__(s, base, r=4):
        super().__init__(); s.base = base; s.A = nn.Parameter(torch.empty(r, base.in_features)); s.B = nn.Parameter(torch.zeros(base.out_features, r)); nn.init.kaiming_uniform_(s.A, a=math.sqrt(5)); s.drop = nn.Dropout(.1)
        for p in base.parameters(): p.requires_grad = False
    def forward(s, x): return s.base(x) + s.drop(x) @ s.A.t() @ s.B.t() * 2
m = nn.Sequential(LoRA(nn.Linear(6, 16)), nn.ReLU(), LoRA(nn.Linear(16, 16)), nn.ReLU(), nn.Linear(16, 2)); opt = torch.optim.AdamW(filter(lambda p: p.requires_grad, m.parameters()), 1e-3)
for i in range(12):
    loss = nn.functional.cross_entropy(m(torch.randn(8, 6)), torch.randint(0, 2, (8,))); opt.zero_grad(); loss.backward(); opt.step()
