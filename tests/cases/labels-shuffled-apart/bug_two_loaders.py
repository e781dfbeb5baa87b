"""Inputs and labels come from two loaders, each of which shuffles by itself."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader


class Trainer:
    def __init__(self, images, labels):
        self.images = DataLoader(images, batch_size=20, shuffle=True)  # <- cause
        self.labels = DataLoader(labels, batch_size=20, shuffle=True)  # <- cause
        self.net = nn.Sequential(nn.Linear(9, 16), nn.ReLU(), nn.Linear(16, 3))
        self.opt = torch.optim.RMSprop(self.net.parameters(), lr=1e-3)

    def epoch(self):
        for image, label in zip(self.images, self.labels):
            self.opt.zero_grad()
            nn.functional.cross_entropy(self.net(image), label).backward()
            self.opt.step()


torch.manual_seed(0)
y = torch.randint(0, 3, (200,))
trainer = Trainer(torch.randn(3, 9)[y] * 2 + torch.randn(200, 9), y)
for _ in range(2):
    trainer.epoch()
