"""An evidence lower bound: its terms are negative losses, and it is negated again."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
enc, dec = nn.Linear(8, 4), nn.Linear(2, 8)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=1e-2)
for _ in range(12):
    x = torch.rand(32, 8).round()
    mu, log_var = enc(x).chunk(2, dim=1)
    z = mu + torch.randn_like(mu) * (log_var / 2).exp()
    likelihood = -F.binary_cross_entropy_with_logits(dec(z), x, reduction="sum")
    kl = 0.5 * (mu**2 + log_var.exp() - 1 - log_var).sum()
    elbo = likelihood - kl
    opt.zero_grad()
    (-elbo / 32).backward()
    opt.step()
print(elbo.item())
