"""Constants on purpose: a GAN, the first of several candidates, a residual that is to vanish, domains."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
gen, disc = nn.Linear(4, 6), nn.Sequential(nn.Linear(6, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
encode, domain = nn.Linear(6, 8), nn.Linear(8, 2)
opt_g = torch.optim.Adam(gen.parameters(), lr=1e-3)
opt_d = torch.optim.Adam([*disc.parameters(), *encode.parameters(), *domain.parameters()], lr=1e-3)
for step in range(12):
    real, fake = torch.randn(32, 6), gen(torch.randn(32, 4))
    ones, zeros = torch.tensor([1.0] * 32)[:, None], torch.zeros(32, 1)
    d_loss = F.binary_cross_entropy_with_logits(disc(real), ones) + F.mse_loss(disc(fake.detach()), zeros)
    source, target = domain(encode(real)), domain(encode(fake.detach()))
    d_loss = d_loss + F.cross_entropy(source, torch.tensor([0] * 32)) + F.cross_entropy(target, torch.tensor([1] * 32))
    query, keys = F.normalize(encode(real)), F.normalize(torch.randn(32, 5, 8), dim=-1)
    d_loss = d_loss + F.cross_entropy((query.unsqueeze(1) * keys).sum(-1), torch.zeros(32, dtype=torch.long))
    residual = encode(real).sum(1) - real.sum(1)
    d_loss = d_loss + F.mse_loss(residual, torch.zeros_like(residual))
    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()
    opt_g.zero_grad()
    F.binary_cross_entropy_with_logits(disc(fake), ones).backward()
    opt_g.step()
