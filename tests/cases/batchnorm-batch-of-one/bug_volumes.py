"""Volumes, one a step, in a function that makes the loader."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def make_loader(batch_size=1):  # <- cause
    x = torch.rand(24, 1, 6, 6, 6) * torch.rand(24, 1, 1, 1, 1) * 9
    return DataLoader(
        TensorDataset(x, (x > x.mean()).float()), batch_size=batch_size, shuffle=True
    )


def train(model, loader, optimizer):
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        nn.BCEWithLogitsLoss()(model(x), y).backward()
        optimizer.step()


torch.manual_seed(0)
unet = nn.Sequential(
    nn.Conv3d(1, 4, 3, padding=1),
    nn.BatchNorm3d(4),  # <- cause
    nn.ReLU(),
    nn.Conv3d(4, 1, 1),
)
train(unet, make_loader(), torch.optim.Adam(unet.parameters(), lr=1e-3))
