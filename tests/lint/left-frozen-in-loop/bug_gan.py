import torch
from torch import nn

G, D = nn.Linear(4, 2), nn.Linear(2, 1)
opt_g = torch.optim.Adam(G.parameters())
opt_d = torch.optim.Adam(D.parameters())
for step in range(100):
    fake = G(torch.randn(8, 4))
    opt_d.zero_grad()
    D(fake.detach()).mean().backward()
    opt_d.step()
    for p in D.parameters():
        p.requires_grad = False  # <- cause
    opt_g.zero_grad()
    D(fake).mean().backward()
    opt_g.step()
