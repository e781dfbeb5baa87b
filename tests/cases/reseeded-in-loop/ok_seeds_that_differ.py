"""Seeds that differ from step to step and from item to item, and one at the beginning."""
import random

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __init__(self, n):
        self.x = torch.randn(n, 6)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        seed = random.randint(0, 2**31)
        torch.manual_seed(seed)
        noise = torch.randn(6)
        torch.manual_seed(seed)
        return self.x[i] + 0.3 * noise + 0.1 * torch.randn(6), self.x[i].sum()


torch.manual_seed(0)
random.seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.Dropout(0.2), nn.Linear(16, 1))
opt = torch.optim.SGD(net.parameters(), lr=1e-2)
for epoch in range(2):
    torch.manual_seed(epoch)
    for step, (x, y) in enumerate(DataLoader(Noisy(72), batch_size=12, shuffle=True)):
        torch.manual_seed(1000 * epoch + step)
        opt.zero_grad()
        nn.functional.mse_loss(net(x).squeeze(1), y).backward()
        opt.step()
