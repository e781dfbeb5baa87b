"""The model is no module at all but a function over layers; the optimizer gets only the module part."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class LoraLinear:  # <- cause
    def __init__(self, base, rank):
        self.base = base
        self.down = nn.Linear(base.in_features, rank, bias=False)  # <- cause
        self.up = nn.Linear(rank, base.out_features, bias=False)  # <- cause

    def __call__(self, x):
        return self.base(x) + self.up(self.down(x))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(6, 12)
        self.fc2 = nn.Linear(12, 2)
        self.adapted = LoraLinear(self.fc1, 2)  # <- cause

    def forward(self, x):
        return self.fc2(torch.relu(self.adapted(x)))


net = Net()
opt = torch.optim.Adam(net.parameters(), 1e-2)
x, y = torch.randn(40, 6), torch.randint(0, 2, (40,))
for _ in range(12):
    opt.zero_grad()
    nn.functional.cross_entropy(net(x), y).backward()
    opt.step()
