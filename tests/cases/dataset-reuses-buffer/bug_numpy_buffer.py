"""A NumPy image that is filled anew for each item and wrapped without a copy."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class Bars(Dataset):
    def __init__(self, n):
        self.where = np.random.default_rng(0).integers(0, 8, n)
        self.image = np.zeros((8, 8), dtype=np.float32)

    def __len__(self):
        return len(self.where)

    def __getitem__(self, index):
        self.image[:] = 0
        self.image[self.where[index]] = 1
        return torch.from_numpy(self.image), int(self.where[index] > 3)  # <- cause


torch.manual_seed(0)
loader = DataLoader(Bars(200), batch_size=20, shuffle=True)
net = nn.Sequential(nn.Flatten(), nn.Linear(64, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(3):
    for image, label in loader:
        opt.zero_grad()
        F.cross_entropy(net(image), label).backward()
        opt.step()
