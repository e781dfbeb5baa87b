"""A ReLU on the output, targets standardised to mean 0, the loss by hand."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(5, 32), nn.Linear(32, 1)

    def forward(self, x):
        h = torch.relu(self.a(x))
        return torch.relu(self.b(h)).squeeze(-1)  # <- cause


torch.manual_seed(0)
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=1e-2)
x = torch.randn(200, 5)
y = x.sum(1)
y = (y - y.mean()) / y.std()
for _ in range(15):
    idx = torch.randint(0, 200, (32,))
    pred = net(x[idx])
    loss = ((y[idx] - pred) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
