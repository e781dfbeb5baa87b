"""Only the labels were sorted."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Pairs(Dataset):
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


torch.manual_seed(0)
x = torch.randn(320, 4)
y = (x @ torch.randn(4, 1)).squeeze(1)
y, _ = y.sort()  # <- cause
loader = DataLoader(Pairs(x, y), batch_size=32, shuffle=True)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.SGD(model.parameters(), lr=1e-2)
for epoch in range(2):
    for xb, yb in loader:
        opt.zero_grad()
        nn.functional.mse_loss(model(xb).squeeze(1), yb).backward()
        opt.step()
