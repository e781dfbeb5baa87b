"""The labels are computed from inputs that were shuffled before; lists of files are shuffled one by one."""
import random

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(240, 5)
x = x[torch.randperm(240)]
y = (x[:, 0] * x[:, 1] > 0).float().unsqueeze(1)
kept = list(range(200))
spare = list(range(200, 240))
random.shuffle(kept)
random.shuffle(spare)


def split(data, one, other):
    return data[one], data[other]


x_train, x_val = split(x, kept, spare)
y_train, y_val = split(y, kept, spare)
state = np.random.get_state()
a = np.arange(10)
np.random.shuffle(a)
np.random.set_state(state)
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(2):
    for xb, yb in DataLoader(TensorDataset(x_train, y_train), batch_size=20, shuffle=True):
        opt.zero_grad()
        nn.functional.binary_cross_entropy_with_logits(model(xb), yb).backward()
        opt.step()
