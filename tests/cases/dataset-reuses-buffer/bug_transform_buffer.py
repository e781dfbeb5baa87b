"""A transform of the user's writes its result into a tensor that it keeps."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Scale:
    def __init__(self, size):
        self.out = torch.empty(size)

    def __call__(self, x):
        torch.mul(x, 0.5, out=self.out)
        self.out.sub_(0.1)
        return self.out  # <- cause


class Points(Dataset):
    def __init__(self, n, transform):
        self.x = torch.randn(n, 5)
        self.y = (self.x.sum(1) > 0).long()
        self.transform = transform

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return self.transform(self.x[i]), self.y[i]


torch.manual_seed(0)
loader = DataLoader(Points(200, Scale(5)), batch_size=25, shuffle=True)
model = nn.Linear(5, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(2):
    for x, y in loader:
        opt.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        opt.step()
