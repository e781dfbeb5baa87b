"""Patches with a class token, batch first, into nn.TransformerEncoderLayer as it comes; loss from a DataLoader."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
images = torch.rand(64, 1, 8, 8)
labels = (images[:, 0, :4].mean((1, 2)) > images[:, 0, 4:].mean((1, 2))).float()


class Patches(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.patch = nn.Conv2d(1, width, 2, stride=2)
        self.first = nn.Parameter(torch.zeros(1, 1, width))
        self.blocks = nn.Sequential(
            nn.TransformerEncoderLayer(d_model=width, nhead=2, dim_feedforward=32),  # <- cause
            nn.LayerNorm(width),
        )
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        tokens = self.patch(x).flatten(2).transpose(1, 2)
        tokens = torch.cat([self.first.expand(len(x), -1, -1), tokens], dim=1)
        return self.head(self.blocks(tokens)[:, 0]).squeeze(1)


model = Patches()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for xb, yb in DataLoader(TensorDataset(images, labels), batch_size=8, shuffle=True):
    loss = nn.functional.binary_cross_entropy_with_logits(model(xb), yb)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
