"""A warm-up schedule of a loss weight that never leaves zero (integer division)."""
import torch
import torch.nn as nn

torch.manual_seed(0)


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(6, 8)
        self.dec = nn.Linear(4, 6)
        self.prior = nn.Parameter(torch.zeros(4))

    def forward(self, x):
        mu, log_var = self.enc(x).chunk(2, 1)
        z = mu + torch.randn_like(mu) * (0.5 * log_var).exp()
        kl = 0.5 * ((mu - self.prior).pow(2) + log_var.exp() - log_var - 1).sum(1).mean()
        return self.dec(z), kl


def beta(step, total=1000):
    return float(step // total)


model = VAE()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(40):
    x = torch.randn(32, 6)
    recon, kl = model(x)
    loss = nn.functional.mse_loss(recon, x) + beta(step) * kl  # <- cause
    opt.zero_grad()
    loss.backward()
    opt.step()
