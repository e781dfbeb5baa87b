"""Worker processes can't be looked into: the rows tell."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Spots(Dataset):
    def __init__(self, n):
        self.place = torch.randint(0, 25, (n,))
        self.grid = torch.zeros(25)

    def __len__(self):
        return len(self.place)

    def __getitem__(self, i):
        self.grid.fill_(0.0)
        self.grid[self.place[i]] = 1.0
        return self.grid, self.place[i] // 5  # <- cause


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(25, 16), nn.ReLU(), nn.Linear(16, 5))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for x, y in DataLoader(Spots(160), batch_size=16, shuffle=True, num_workers=1):
    loss = nn.CrossEntropyLoss()(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
