"""numpy.random.shuffle on the inputs, then on the labels."""
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


def load(n):
    labels = np.arange(n) % 4
    inputs = (np.random.randn(n, 8) + labels[:, None]).astype(np.float32)
    np.random.shuffle(inputs)  # <- cause
    np.random.shuffle(labels)  # <- cause
    return TensorDataset(torch.from_numpy(inputs), torch.from_numpy(labels))


np.random.seed(0)
torch.manual_seed(0)
loader = DataLoader(load(800), batch_size=40, shuffle=True)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for x, y in loader:
    opt.zero_grad()
    nn.functional.cross_entropy(net(x), y).backward()
    opt.step()
