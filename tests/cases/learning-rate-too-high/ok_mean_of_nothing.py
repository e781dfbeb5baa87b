"""A mean over no samples is NaN in some passes; the weights get a gradient of zero from it, and go on training."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
trunk, classes, offset = nn.Linear(6, 32), nn.Linear(32, 2), nn.Linear(32, 1)
params = [*trunk.parameters(), *classes.parameters(), *offset.parameters()]
optimizer = torch.optim.SGD(params, lr=0.05)
for _ in range(15):
    x = torch.randn(16, 6)
    label = (x[:, 0] > 1.4).long()
    h = F.relu(trunk(x))
    found = label == 1
    loss = F.cross_entropy(classes(h), label) + F.smooth_l1_loss(offset(h).squeeze(1)[found], x[:, 1][found])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
