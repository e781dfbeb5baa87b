"""__getitem__ sets a seed: the crop is the same for all."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Crops(Dataset):
    def __init__(self, n):
        self.images = torch.randn(n, 1, 12, 12)
        self.labels = torch.randint(0, 2, (n,))

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        torch.manual_seed(0)  # <- cause
        top, left = torch.randint(0, 5, (2,)).tolist()
        return self.images[i, :, top : top + 8, left : left + 8], self.labels[i]


torch.manual_seed(1)
net = nn.Sequential(nn.Flatten(), nn.Linear(64, 2))
opt = torch.optim.SGD(net.parameters(), lr=1e-2)
for epoch in range(2):
    for x, y in DataLoader(Crops(120), batch_size=12, shuffle=True):
        opt.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        opt.step()
