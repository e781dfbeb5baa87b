import numpy as np
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __init__(self, n):
        self.n = n
        self.rng = np.random.default_rng(7)  # <- cause

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return i + self.rng.normal()


loader = DataLoader(Noisy(100), batch_size=8, num_workers=2)
