"""CycleGAN-like: the helper gets False both times."""

import itertools

import torch
import torch.nn as nn

torch.manual_seed(0)


def set_requires_grad(nets, flag):
    for net in nets:
        for p in net.parameters():
            p.requires_grad = flag  # <- cause


G_ab, G_ba = nn.Linear(4, 4), nn.Linear(4, 4)
D_a, D_b = nn.Linear(4, 1), nn.Linear(4, 1)
opt_G = torch.optim.Adam(itertools.chain(G_ab.parameters(), G_ba.parameters()), lr=2e-3)
opt_D = torch.optim.Adam(itertools.chain(D_a.parameters(), D_b.parameters()), lr=2e-3)
mse = nn.MSELoss()


def d_loss(net, real, fake):
    real, fake = net(real), net(fake.detach())
    return mse(real, torch.ones_like(real)) + mse(fake, torch.zeros_like(fake))


for step in range(14):
    a, b = torch.randn(16, 4) + 1, torch.randn(16, 4) * 2
    set_requires_grad([D_a, D_b], False)  # <- cause
    opt_G.zero_grad()
    fake_b, fake_a = G_ab(a), G_ba(b)
    out_a, out_b = D_a(fake_a), D_b(fake_b)
    loss = mse(out_a, torch.ones_like(out_a)) + mse(out_b, torch.ones_like(out_b))
    loss = loss + (G_ba(fake_b) - a).abs().mean() + (G_ab(fake_a) - b).abs().mean()
    loss.backward()
    opt_G.step()

    set_requires_grad([D_a, D_b], False)  # <- cause
    opt_D.zero_grad()
    loss_D = d_loss(D_a, a, fake_a) + d_loss(D_b, b, fake_b)
    if loss_D.grad_fn is not None:
        loss_D.backward()
    opt_D.step()
