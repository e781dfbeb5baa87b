"""InfoNCE in both directions by hand: the samples of the batch are the classes."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 8))
opt = torch.optim.Adam(encoder.parameters(), lr=1e-2)
labels = torch.arange(24)
for _ in range(12):
    x = torch.randn(24, 8)
    a = F.normalize(encoder(x), dim=1)
    b = F.normalize(encoder(x + 0.1 * torch.randn(24, 8)), dim=1)
    sim = a @ b.t() / 0.2
    loss = -F.log_softmax(sim, dim=0).diag().mean() - F.log_softmax(sim, dim=1)[labels, labels].mean()
    loss = loss + F.nll_loss(F.log_softmax(sim, dim=0).t(), labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
