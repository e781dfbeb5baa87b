"""SGD with a rate of 50 and momentum; the cross-entropy goes into the thousands."""

import torch
import torch.nn as nn

torch.manual_seed(0)


def train_one_epoch(model, opt, x, y):
    for i in range(0, len(x), 16):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(x[i : i + 16]), y[i : i + 16])
        loss.backward()
        opt.step()


x = torch.randn(256, 8)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(8, 32), nn.GELU(), nn.Linear(32, 2))
opt = torch.optim.SGD(model.parameters(), lr=50.0, momentum=0.9)  # <- cause
train_one_epoch(model, opt, x, y)
