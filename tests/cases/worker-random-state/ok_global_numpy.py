"""numpy.random and random are seeded by torch in each worker."""
import random

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Crops(Dataset):
    def __init__(self, signal):
        self.signal = signal

    def __len__(self):
        return 64

    def __getitem__(self, i):
        start = np.random.randint(0, 400) + random.randint(0, 3)
        part = self.signal[start : start + 12]
        return part[:8], part[8:]


torch.manual_seed(0)
loader = DataLoader(Crops(torch.randn(500)), batch_size=16, num_workers=2)
model = nn.Linear(8, 4)
opt = torch.optim.SGD(model.parameters(), lr=1e-2)
for epoch in range(3):
    for x, y in loader:
        opt.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        opt.step()
