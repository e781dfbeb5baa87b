"""WGAN: the critic steps five times for each step of the generator."""

import torch
import torch.nn as nn

torch.manual_seed(0)
G, C = nn.Linear(3, 2), nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
opt_g, opt_c = torch.optim.RMSprop(G.parameters(), 1e-3), torch.optim.RMSprop(C.parameters(), 1e-3)
for it in range(40):
    real, fake = torch.randn(16, 2) + 1, G(torch.randn(16, 3))
    loss_c = C(fake.detach()).mean() - C(real).mean()
    opt_c.zero_grad()
    loss_c.backward()
    opt_c.step()
    with torch.no_grad():
        for p in C.parameters():
            p.clamp_(-0.1, 0.1)
    if it % 5 == 4:
        opt_g.zero_grad()
        (-C(fake).mean()).backward()
        opt_g.step()
