"""A synthetic stream: its generator is made once for all of its items."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

torch.manual_seed(0)


class Stream(IterableDataset):
    def __iter__(self):
        rng = np.random.default_rng(0)
        for _ in range(160):
            x = rng.normal(size=4).astype(np.float32)
            yield x, int(x[0] > 0)


model = nn.Linear(4, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for xb, yb in DataLoader(Stream(), batch_size=16):
    opt.zero_grad()
    nn.functional.cross_entropy(model(xb), yb).backward()
    opt.step()
