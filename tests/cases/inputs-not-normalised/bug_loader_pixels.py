"""A dataset that gives pixels as they are stored; a CNN under SGD."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)


class Digits(Dataset):
    def __init__(self, n):
        self.images = torch.randint(0, 256, (n, 12, 12), dtype=torch.uint8)
        self.labels = torch.randint(0, 5, (n,))

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        image = self.images[i].float().unsqueeze(0)  # <- cause
        return image, self.labels[i]


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten())
        self.classify = nn.Sequential(nn.Linear(200, 32), nn.ReLU(), nn.Linear(32, 5))

    def forward(self, x):
        return self.classify(self.features(x))


net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
criterion = nn.CrossEntropyLoss()
for images, labels in DataLoader(Digits(240), batch_size=16, shuffle=True):
    opt.zero_grad()
    loss = criterion(net(images), labels)
    loss.backward()
    opt.step()
