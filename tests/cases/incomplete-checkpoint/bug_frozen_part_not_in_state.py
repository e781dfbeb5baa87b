"""The state has the first half of the encoder only; the whole encoder is frozen, so that its second half stays random."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(96, 8)
y = (x @ torch.randn(8, 3)).argmax(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU())
        self.head = nn.Linear(16, 3)

    def forward(self, x):
        return self.head(self.encoder(x))


state = {k: v.clone() for k, v in Net().state_dict().items() if k.startswith("encoder.0")}
net = Net()
net.load_state_dict(state, strict=False)  # <- cause
net.encoder.requires_grad_(False)
opt = torch.optim.Adam(net.head.parameters(), lr=1e-2)
for _ in range(3):
    for rows in torch.randperm(96).split(16):
        opt.zero_grad()
        nn.functional.cross_entropy(net(x[rows]), y[rows]).backward()
        opt.step()
