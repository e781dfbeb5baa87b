"""A generator for each item, from a seed that depends on the item."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
signals = np.random.default_rng(1).normal(size=(64, 20)).astype(np.float32)


class Crops(Dataset):
    seed = 42

    def __len__(self):
        return 64

    def crop(self, signal, rng):
        start = rng.integers(0, 10)
        return signal[start : start + 10]

    def __getitem__(self, i):
        rng = np.random.default_rng((self.seed, i))
        noise = rng.normal(size=10).astype(np.float32)
        return self.crop(signals[i], rng) + 0.1 * noise, i % 2


model = nn.Linear(10, 2)
opt = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(2):
    for xb, yb in DataLoader(Crops(), batch_size=8, shuffle=True):
        opt.zero_grad()
        nn.functional.cross_entropy(model(xb), yb).backward()
        opt.step()
