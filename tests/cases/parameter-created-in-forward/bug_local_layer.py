"""A projection is a local variable of forward: never stored, never trained."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp = nn.Linear(4, 8)
        self.out = nn.Linear(6, 1)

    def forward(self, x):
        h = torch.tanh(self.inp(x))
        project = nn.Linear(8, 6)  # <- cause
        return self.out(torch.relu(project(h)))


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x = torch.randn(32, 4)
for _ in range(12):
    loss = (net(x) - x.prod(1, keepdim=True)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
