import torch
from torch import nn

G, D, E = nn.Linear(4, 2), nn.Linear(2, 1), nn.Linear(2, 2)
opt_g = torch.optim.Adam(G.parameters())
opt_d = torch.optim.Adam(D.parameters())
E.requires_grad_(False)
for step in range(100):
    D.requires_grad_(True)
    fake = G(torch.randn(8, 4))
    opt_d.zero_grad()
    D(E(fake.detach())).mean().backward()
    opt_d.step()
    D.requires_grad_(False)
    opt_g.zero_grad()
    D(fake).mean().backward()
    opt_g.step()
    if step == 50:
        G.requires_grad_(False)
