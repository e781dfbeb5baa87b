"""A RandomState in a transform, under shuffle=True: the same noise in every worker."""
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class AddNoise:
    def __init__(self, scale):
        self.scale = scale
        self.random = np.random.RandomState(0)  # <- cause

    def __call__(self, x):
        return x + self.scale * torch.from_numpy(self.random.randn(*x.shape)).float()


class Points(Dataset):
    def __init__(self, transform):
        self.x = torch.randn(96, 6)
        self.y = (self.x[:, 0] > 0).long()
        self.transform = transform

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.transform(self.x[i]), self.y[i]


torch.manual_seed(0)
loader = DataLoader(Points(AddNoise(0.2)), batch_size=12, shuffle=True, num_workers=2)
model = nn.Linear(6, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    for x, y in loader:
        opt.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        opt.step()
