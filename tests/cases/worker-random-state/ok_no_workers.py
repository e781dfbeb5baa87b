"""Without workers a generator of the data set's own goes on from item to item."""
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __init__(self):
        self.rng = np.random.default_rng(0)

    def __len__(self):
        return 40

    def __getitem__(self, i):
        x = torch.from_numpy(self.rng.standard_normal(4)).float()
        return x, x.sum().reshape(1)


torch.manual_seed(0)
model = nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=1e-2)
for epoch in range(4):
    for x, y in DataLoader(Noisy(), batch_size=10):
        opt.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        opt.step()
