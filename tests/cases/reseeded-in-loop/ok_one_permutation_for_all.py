"""Permuted pixels: every item must get the same order, so the generator that makes it has one seed."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
images = torch.rand(64, 16)


class Permuted(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, i):
        order = torch.randperm(16, generator=torch.Generator().manual_seed(3))
        return images[i][order], int(images[i].mean() > 0.5)


model = nn.Linear(16, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    for xb, yb in DataLoader(Permuted(), batch_size=8, shuffle=True):
        opt.zero_grad()
        nn.functional.cross_entropy(model(xb), yb).backward()
        opt.step()
