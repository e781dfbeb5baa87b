import torch, torch.nn as nn
torch.manual_seed(0)
G = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2)); D = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(.2), nn.Linear(16, 1))
og, od = torch.optim.Adam(G.parameters(), 1e-3, betas=(0.0, .9)), torch.optim.Adam(D.parameters(), 1e-3, betas=(0.0, .9))
def gp(real, fake):
    e = torch.rand(len(real), 1); x = (e * real + (1 - e) * fake).requires_grad_(True)
    g = torch.autograd.grad(D(x).sum(), x, create_graph=True)[0]
    return ((g.norm(2, 1) - 1) ** 2).mean()
for i in range(20):
    real = torch.randn(16, 2) + 1; fake = G(torch.randn(16, 4)).detach()
    ld = D(fake).mean() - D(real).mean() + 10 * gp(real, fake); od.zero_grad(); ld.backward(); od.step()
    if i % 5 == 4:
        lg = -D(G(torch.randn(16, 4))).mean(); og.zero_grad(); lg.backward(); og.step()
