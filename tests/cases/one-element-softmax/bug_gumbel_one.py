import torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(0)
class Sel(nn.Module):
    def __init__(s): super().__init__(); s.g = nn.Linear(4, 1); s.f = nn.Linear(4, 1)
    def forward(s, x): return s.f(x) * F.gumbel_softmax(s.g(x), tau=1.0, dim=-1)  # <- cause
m = Sel(); opt = torch.optim.Adam(m.parameters(), 1e-2)
for i in range(12):
    x = torch.randn(8, 4); loss = (m(x) - x[:, :1]).pow(2).mean(); opt.zero_grad(); loss.backward(); opt.step()
