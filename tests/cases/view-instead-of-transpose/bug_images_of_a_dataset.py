"""Images with the channels last are viewed with the channels first, one by one."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)


class Images(Dataset):
    def __init__(self):
        self.images = torch.randint(0, 255, (64, 12, 16, 3), dtype=torch.uint8)
        self.labels = torch.randint(0, 4, (64,))

    def __len__(self):
        return 64

    def __getitem__(self, i):
        image = self.images[i].view(3, 12, 16)  # <- cause
        return image.float() / 255, self.labels[i]


model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 4))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    for xb, yb in DataLoader(Images(), batch_size=16, shuffle=True):
        opt.zero_grad()
        nn.functional.cross_entropy(model(xb), yb).backward()
        opt.step()
