import torch, torch.nn as nn
torch.manual_seed(0)
class A(nn.Module):
    def __init__(s): super().__init__(); s.q = nn.Linear(4, 8); s.k = nn.Linear(4, 8); s.v = nn.Linear(4, 8); s.o = nn.Linear(8, 2)
    def forward(s, x, keep):
        sc = s.q(x) @ s.k(x).transpose(1, 2) / 8 ** .5
        sc = sc.masked_fill(~keep[:, None, :], float("-inf"))  # <- cause
        p = sc.softmax(-1)  # <- cause
        return s.o(torch.nan_to_num(p @ s.v(x)).mean(1))
m = A(); opt = torch.optim.Adam(m.parameters(), 1e-3); sc = torch.amp.GradScaler("cpu")
for i in range(30):
    x, y = torch.randn(6, 5, 4), torch.randint(0, 2, (6,))
    keep = torch.rand(6, 5) > 0.3; keep[2] = False
    loss = nn.functional.cross_entropy(m(x, keep), y)
    opt.zero_grad(); sc.scale(loss).backward(); sc.step(opt); sc.update()
