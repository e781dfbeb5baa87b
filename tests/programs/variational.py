"""A VAE with reparametrisation, a vector-quantised bottleneck with a straight-through estimator and Gumbel softmax."""

import torch
from torch import nn

torch.manual_seed(1)
encoder, decoder = nn.Linear(6, 8), nn.Linear(4, 6)
codes = nn.Embedding(5, 4)
picker, picked = nn.Linear(6, 5), nn.Linear(5, 6)
parameters = [p for m in (encoder, decoder, codes, picker, picked) for p in m.parameters()]
optimizer = torch.optim.AdamW(parameters, lr=0.01)
for step in range(10):
    x = torch.randn(32, 6)
    mean, log_var = encoder(x).chunk(2, dim=1)
    z = mean + torch.randn_like(mean) * (0.5 * log_var).exp()
    kl = -0.5 * (1 + log_var - mean.square() - log_var.exp()).sum(1).mean()
    nearest = torch.cdist(z, codes.weight).argmin(1)
    q = codes(nearest)
    commitment = (q - z.detach()).square().mean() + 0.25 * (q.detach() - z).square().mean()
    q = z + (q - z).detach()
    hard = nn.functional.gumbel_softmax(picker(x), tau=1.0, hard=True)
    loss = (decoder(q) + picked(hard) - x).square().mean() + 0.01 * kl + commitment
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item(), kl.item())
