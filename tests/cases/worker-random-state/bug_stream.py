"""An IterableDataset that draws its samples from a generator of Python's."""
import random

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, IterableDataset


class Sums(IterableDataset):
    def __init__(self, length, seed=3):
        self.length = length
        self.random = random.Random(seed)  # <- cause

    def __iter__(self):
        for _ in range(self.length):
            numbers = [self.random.random() for _ in range(5)]
            yield torch.tensor(numbers), torch.tensor([sum(numbers)])


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(2):
    for x, y in DataLoader(Sums(64), batch_size=16, num_workers=2):
        opt.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        opt.step()
