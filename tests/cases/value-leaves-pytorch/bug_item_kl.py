import torch
import torch.nn as nn

torch.manual_seed(0)


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(8, 8)
        self.mu = nn.Linear(8, 2)
        self.lv = nn.Linear(8, 2)
        self.dec = nn.Linear(2, 8)
        self.prior = nn.Linear(1, 2)

    def forward(self, x):
        h = torch.relu(self.enc(x))
        return self.mu(h), self.lv(h)


def loss_terms(m, x, c):
    mu, lv = m(x)
    z = mu + torch.randn_like(mu) * (0.5 * lv).exp()
    rec = (m.dec(z) - x).pow(2).mean()
    p = m.prior(c)
    kl = (-0.5 * (1 + lv - (mu.detach() - p).pow(2) - lv.detach().exp())).mean()
    return rec, kl.item()  # <- cause


m = VAE()
opt = torch.optim.Adam(m.parameters(), 1e-3)
for _ in range(12):
    x, c = torch.randn(16, 8), torch.rand(16, 1)
    rec, kl = loss_terms(m, x, c)
    loss = rec + 0.1 * kl
    opt.zero_grad()
    loss.backward()
    opt.step()
