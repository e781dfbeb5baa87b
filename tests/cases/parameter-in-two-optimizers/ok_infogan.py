"""A generator in two optimizers, each of which steps on a pass of its own."""

import torch
from torch import nn

torch.manual_seed(0)
G, D, Q = nn.Linear(4, 2), nn.Linear(2, 1), nn.Linear(2, 2)
opt_g = torch.optim.Adam(G.parameters(), lr=1e-3)
opt_d = torch.optim.Adam(D.parameters(), lr=1e-3)
opt_info = torch.optim.Adam([*G.parameters(), *Q.parameters()], lr=1e-3)
criterion = nn.BCEWithLogitsLoss()
for step in range(15):
    z = torch.randn(32, 4)
    opt_d.zero_grad()
    loss = criterion(D(1 + torch.randn(32, 2)), torch.ones(32, 1)) + criterion(D(G(z).detach()), torch.zeros(32, 1))
    loss.backward()
    opt_d.step()
    opt_g.zero_grad()
    criterion(D(G(z)), torch.ones(32, 1)).backward()
    opt_g.step()
    opt_info.zero_grad()
    nn.functional.mse_loss(Q(G(z)), z[:, :2]).backward()
    opt_info.step()
