"""A generator at the top of the script, copied into the workers that persist."""
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

rng = np.random.default_rng(5)  # <- cause


class Patches(Dataset):
    def __init__(self, image):
        self.image = image

    def __len__(self):
        return 64

    def __getitem__(self, i):
        top, left = rng.integers(0, 24, size=2)
        patch = self.image[top : top + 8, left : left + 8]
        return patch.reshape(-1), patch.mean().reshape(1)


torch.manual_seed(0)
loader = DataLoader(Patches(torch.randn(32, 32)), batch_size=8, num_workers=2, persistent_workers=True)
model = nn.Linear(64, 1)
opt = torch.optim.SGD(model.parameters(), lr=1e-2)
for epoch in range(2):
    for x, y in loader:
        opt.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        opt.step()
