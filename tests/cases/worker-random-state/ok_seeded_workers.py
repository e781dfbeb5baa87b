"""Generators seeded by worker_init_fn, made in the worker, or seeded for each item; epochs in the same order."""
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset, TensorDataset, get_worker_info


class Noisy(Dataset):
    def __init__(self, how):
        self.how, self.x = how, torch.randn(48, 4)
        self.rng = np.random.default_rng(0) if how == "init" else None

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        if self.how == "item":
            self.rng = np.random.default_rng(i)
        elif self.rng is None:
            self.rng = np.random.default_rng(torch.initial_seed() % 2**32)
        return self.x[i] + 0.1 * torch.from_numpy(self.rng.standard_normal(4)).float(), self.x[i].sum().reshape(1)


def seed(worker):
    info = get_worker_info()
    info.dataset.rng = np.random.default_rng(info.seed % 2**32)


torch.manual_seed(0)
model = nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=1e-2)
plain = torch.randn(48, 4)
loaders = [
    DataLoader(Noisy("init"), batch_size=24, num_workers=2, worker_init_fn=seed),
    DataLoader(Noisy("late"), batch_size=24, num_workers=2),
    DataLoader(Noisy("item"), batch_size=24, num_workers=2),
    DataLoader(TensorDataset(plain, plain.sum(1, keepdim=True)), batch_size=24, num_workers=1),
]
for epoch in range(2):
    for loader in loaders:
        for x, y in loader:
            opt.zero_grad()
            nn.functional.mse_loss(model(x), y).backward()
            opt.step()
