"""A variational autoencoder whose divergence is written in two ways that are right."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder, means, spreads = nn.Linear(12, 16), nn.Linear(16, 3), nn.Linear(16, 3)
decoder = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 12))
model = nn.ModuleList([encoder, means, spreads, decoder])
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for _ in range(6):
    x = torch.rand(16, 12)
    h = F.relu(encoder(x))
    mu, logvar = means(h), spreads(h)
    z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)
    error = F.mse_loss(decoder(z), x, reduction="sum")
    one = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp(), dim=1).mean()
    other = 0.5 * (mu**2 + logvar.exp() - 1 - logvar).sum()
    elbo = -error - other - 0.1 * one
    loss = -elbo / len(x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
