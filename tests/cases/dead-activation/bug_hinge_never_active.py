"""A margin of the wrong sign: the hinge is 0 for all pairs from the first step on, loss is constantly 0."""
import torch
import torch.nn as nn

torch.manual_seed(0)


def triplet(anchor, positive, negative, margin=-100.0):
    d_pos = (anchor - positive).pow(2).sum(1)
    d_neg = (anchor - negative).pow(2).sum(1)
    return torch.relu(d_pos - d_neg + margin).mean()  # <- cause


embed = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4))
opt = torch.optim.Adam(embed.parameters(), lr=1e-3)
for step in range(15):
    a, p, n = (embed(torch.randn(16, 6)) for _ in range(3))
    loss = triplet(a, p, n)
    opt.zero_grad()
    loss.backward()
    opt.step()
