"""Pairwise distances with a zero diagonal: the derivative of sqrt at 0 is infinite, times 0 is NaN."""
import torch
import torch.nn as nn

torch.manual_seed(0)


def pairwise(z):
    squared = (z.unsqueeze(0) - z.unsqueeze(1)).pow(2).sum(-1)
    return torch.sqrt(squared)  # <- cause


def contrast(z, y):
    d = pairwise(z)
    same = (y[:, None] == y[None]).float()
    return (same * d + (1 - same) * torch.relu(1 - d)).mean()


model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 4))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(12):
    x, y = torch.randn(16, 5), torch.randint(0, 3, (16,))
    loss = contrast(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
