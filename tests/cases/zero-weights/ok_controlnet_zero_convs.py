import torch, torch.nn as nn
torch.manual_seed(0)
def zero(m):
    for p in m.parameters(): nn.init.zeros_(p)
    return m
class C(nn.Module):
    def __init__(s): super().__init__(); s.enc = nn.Conv1d(1, 4, 3, padding=1).requires_grad_(False); s.copy = nn.Conv1d(1, 4, 3, padding=1); s.cond = nn.Sequential(nn.Conv1d(1, 4, 3, padding=1), nn.SiLU(), zero(nn.Conv1d(4, 1, 1))); s.out = zero(nn.Conv1d(4, 4, 1)); s.dec = nn.Conv1d(4, 1, 1).requires_grad_(False)
    def forward(s, x, c): return s.dec(s.enc(x) + s.out(s.copy(x + s.cond(c))))
m = C(); opt = torch.optim.AdamW([p for p in m.parameters() if p.requires_grad], 1e-2)
for i in range(16):
    x, c = torch.randn(4, 1, 8), torch.randn(4, 1, 8); loss = (m(x, c) - c).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step()
