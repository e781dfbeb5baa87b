"""Flattened for a normalisation and put back; rows of pixels as stored, then given their shape; cut into patches."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
rows = torch.rand(64, 3 * 12 * 12)
images = rows.view(-1, 3, 12, 12)
flat = images.flatten(1)
images = ((flat - flat.mean(1, keepdim=True)) / flat.std(1, keepdim=True)).view(-1, 3, 12, 12)
patches = images.view(-1, 3, 3, 4, 3, 4).permute(0, 2, 4, 1, 3, 5).reshape(-1, 9, 48)
loader = DataLoader(TensorDataset(patches, torch.randint(0, 4, (64,))), batch_size=16, shuffle=True)
model = nn.Sequential(nn.Linear(48, 16), nn.GELU(), nn.Flatten(), nn.Linear(144, 4))
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _ in range(3):
    for xb, yb in loader:
        opt.zero_grad()
        nn.functional.cross_entropy(model(xb), yb).backward()
        opt.step()
