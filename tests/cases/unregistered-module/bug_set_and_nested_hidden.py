import torch
import torch.nn as nn

torch.manual_seed(0)


class Branch:  # <- cause
    def __init__(self, d):
        self.net = Inner(d)

    def __call__(self, x):
        return self.net(x)


class Inner(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.layers = [nn.Linear(d, d), nn.Linear(d, d)]  # <- cause
        self.norm = nn.LayerNorm(d)

    def forward(self, x):
        for l in self.layers:
            x = torch.relu(l(x))
        return self.norm(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp, self.out = nn.Linear(4, 6), nn.Linear(6, 1)
        self.branch = Branch(6)  # <- cause

    def forward(self, x):
        return self.out(self.branch(self.inp(x)))


net = Net()
opt = torch.optim.Adam(net.parameters(), 1e-2)
for _ in range(11):
    x = torch.randn(16, 4)
    loss = (net(x) - x[:, :1]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
