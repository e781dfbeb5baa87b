import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __init__(self, n):
        self.rng = np.random.default_rng(7)
        self.order = np.random.default_rng(3).permutation(n)

    def __len__(self):
        return len(self.order)

    def __getitem__(self, i):
        return self.order[i] + self.rng.normal()


class Split(Dataset):
    def __init__(self, n):
        self.rng = np.random.default_rng(7)
        self.kept = self.rng.permutation(n)[:10]

    def __len__(self):
        return 10

    def __getitem__(self, i):
        return self.kept[i] + torch.randn(())


def seeded(worker):
    torch.utils.data.get_worker_info().dataset.rng = np.random.default_rng(worker)


one = DataLoader(Noisy(100), num_workers=0)
two = DataLoader(Noisy(100), num_workers=2, worker_init_fn=seeded)
three = DataLoader(Split(100), num_workers=2)
