"""The new head is put in first and the freeze of the whole network follows; only the BatchNorms are excepted."""

import torch
import torch.nn as nn

torch.manual_seed(0)


def make_net(classes):
    return nn.Sequential(nn.Linear(10, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, classes))


net = make_net(100)
net.load_state_dict({k: v.clone() for k, v in net.state_dict().items()})
net[3] = nn.Linear(16, 5)
for module in net.modules():
    for p in module.parameters(recurse=False):
        p.requires_grad = isinstance(module, nn.BatchNorm1d)  # <- cause

opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(40, 10), torch.randint(0, 5, (40,))
for _ in range(12):
    opt.zero_grad()
    nn.functional.cross_entropy(net(x), y).backward()
    opt.step()
