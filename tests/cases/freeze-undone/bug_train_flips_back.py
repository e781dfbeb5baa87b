"""BatchNorm is put into evaluation mode once, and each epoch begins with train()."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 8)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.1)


def freeze_norms(net):
    for m in net.modules():
        if isinstance(m, nn.BatchNorm1d):
            m.eval()  # <- cause


freeze_norms(model)
for _ in range(6):
    model.train()  # <- cause
    for rows in torch.randperm(64).split(16):
        opt.zero_grad()
        nn.functional.cross_entropy(model(x[rows]), y[rows]).backward()
        opt.step()
