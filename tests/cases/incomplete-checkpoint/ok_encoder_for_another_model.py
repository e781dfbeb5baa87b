"""An encoder out of an autoencoder's state, with a new decoder of the same shapes, and tied weights that stay tied."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(96, 8)
y = x.sin()


class Auto(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(*[nn.Linear(8, 8) for _ in range(4)])
        self.decoder = nn.Linear(8, 8)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(*[nn.Linear(8, 8) for _ in range(2)])
        self.out = nn.Sequential(*[nn.Linear(8, 8) for _ in range(2)])
        self.out[1].weight = self.encoder[0].weight

    def forward(self, x):
        return self.out(torch.tanh(self.encoder(x)))


state = {k: v.clone() for k, v in Auto().state_dict().items()}
net = Net()
print(net.load_state_dict(state, strict=False))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(3):
    for rows in torch.randperm(96).split(16):
        opt.zero_grad()
        nn.functional.mse_loss(net(x[rows]), y[rows]).backward()
        opt.step()
