import torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(0)
class V(nn.Module):
    def __init__(s): super().__init__(); s.e = nn.Linear(6, 8); s.c = nn.Embedding(8, 4); s.g = nn.Linear(6, 3); s.t = nn.Linear(3, 4, bias=False); s.d = nn.Linear(4, 6)
    def forward(s, x):
        mu, lv = s.e(x).chunk(2, 1); z = mu + torch.randn_like(mu) * (lv / 2).exp(); i = torch.cdist(z, s.c.weight).argmin(1); q = s.c(i)
        st = z + (q - z).detach(); y = F.gumbel_softmax(s.g(x), hard=True); b = (torch.sigmoid(z) > .5).float(); b = b + torch.sigmoid(z) - torch.sigmoid(z).detach()
        return s.d(st + s.t(y) + 0.1 * b), F.mse_loss(q, z.detach()) + .25 * F.mse_loss(z, q.detach()) - .5 * (1 + lv - mu ** 2 - lv.exp()).mean()
m = V(); opt = torch.optim.Adam(m.parameters(), 1e-2)
for i in range(12):
    x = torch.randn(32, 6); r, e = m(x); loss = F.mse_loss(r, x) + e; opt.zero_grad(); loss.backward(); opt.step()
