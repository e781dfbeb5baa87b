"""The discriminator is frozen for the generator's step and unfrozen for its own; the critic steps five times."""

import torch
import torch.nn as nn

torch.manual_seed(0)


def toggle(net, flag):
    for p in net.parameters():
        p.requires_grad_(flag)


G = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
D = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
opt_G, opt_D = torch.optim.RMSprop(G.parameters(), 5e-4), torch.optim.RMSprop(D.parameters(), 5e-4)
for it in range(8):
    toggle(D, True)
    for _ in range(5):
        real, z = torch.randn(32, 2) + 2, torch.randn(32, 3)
        loss = D(G(z).detach()).mean() - D(real).mean()
        opt_D.zero_grad()
        loss.backward()
        opt_D.step()
        for p in D.parameters():
            p.data.clamp_(-0.05, 0.05)
    toggle(D, False)
    loss = -D(G(torch.randn(32, 3))).mean()
    opt_G.zero_grad()
    loss.backward()
    opt_G.step()
