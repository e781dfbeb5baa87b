import torch, torch.nn as nn
torch.manual_seed(0)
class Dec(nn.Module):
    def __init__(s): super().__init__(); s.e = nn.Linear(3, 16); s.m = nn.Linear(5, 16); s.x = nn.MultiheadAttention(16, 4, batch_first=True, bias=False, kdim=16, vdim=8); s.val = nn.Linear(5, 8); s.o = nn.Linear(16, 1)
    def forward(s, x, c):
        h = s.e(x); mem = s.m(c).unsqueeze(1)
        a, _ = s.x(h, mem, s.val(c).unsqueeze(1))  # <- cause
        return s.o(h + a).squeeze(-1)
m = Dec(); opt = torch.optim.AdamW(m.parameters(), 1e-3, weight_decay=0)
for i in range(12):
    x, c = torch.randn(4, 6, 3), torch.randn(4, 5); loss = (m(x, c) - x.sum(-1)).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step()
