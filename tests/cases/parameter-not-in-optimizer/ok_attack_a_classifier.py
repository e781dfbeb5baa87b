"""A trained classifier is attacked: its own weights get gradients and are not meant to change any more."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
clf = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
x = torch.randn(64, 8)
y = (x[:, 0] > 0).long()
opt = torch.optim.Adam(clf.parameters(), 1e-2)
for _ in range(8):
    opt.zero_grad()
    F.cross_entropy(clf(x), y).backward()
    opt.step()

noise = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 8))
opt_noise = torch.optim.Adam(noise.parameters(), 1e-2)
for _ in range(8):
    opt_noise.zero_grad()
    loss = -F.cross_entropy(clf(x + 0.1 * torch.tanh(noise(x))), y)
    loss.backward()
    opt_noise.step()
