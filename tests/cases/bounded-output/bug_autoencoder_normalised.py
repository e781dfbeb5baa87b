"""A decoder that ends in a sigmoid, images normalised to mean 0 and deviation 1."""

import torch
import torch.nn.functional as F
from torch import nn


class Auto(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(nn.Flatten(), nn.Linear(64, 16), nn.ReLU())
        self.dec = nn.Sequential(nn.Linear(16, 64), nn.Sigmoid())  # <- cause

    def forward(self, x):
        return self.dec(self.enc(x)).view(-1, 1, 8, 8)


torch.manual_seed(0)
images = torch.rand(128, 1, 8, 8)
images = (images - images.mean()) / images.std()
model = Auto()
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for start in range(0, 120, 10):
    batch = images[start : start + 10]
    loss = F.smooth_l1_loss(model(batch), batch)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
