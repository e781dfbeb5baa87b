from types import SimpleNamespace

import torch
import torch.nn as nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp = nn.Linear(4, 8)
        self.heads = SimpleNamespace(mean=nn.Linear(8, 1), scale=nn.Linear(8, 1))  # <- cause

    def forward(self, x):
        h = torch.tanh(self.inp(x))
        return self.heads.mean(h), self.heads.scale(h).exp()


net = Net()
opt = torch.optim.Adam(net.parameters(), 1e-2)
for _ in range(11):
    x = torch.randn(16, 4)
    m, s = net(x)
    loss = ((m - x[:, :1]) / s).pow(2).mean() + s.log().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
