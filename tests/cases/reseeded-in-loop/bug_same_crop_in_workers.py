"""The same in worker processes, with NumPy."""
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

SEED = 7


class Noisy(Dataset):
    def __init__(self, n):
        self.x = torch.randn(n, 6)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        np.random.seed(SEED)  # <- cause
        noise = torch.from_numpy(np.random.randn(6)).float()
        return self.x[i] + 0.3 * noise, self.x[i].sum()


torch.manual_seed(1)
net = nn.Linear(6, 1)
opt = torch.optim.SGD(net.parameters(), lr=1e-2)
for x, y in DataLoader(Noisy(120), batch_size=12, shuffle=True, num_workers=1):
    opt.zero_grad()
    nn.functional.mse_loss(net(x).squeeze(1), y).backward()
    opt.step()
