"""The layers are called `layer` in the state and `layers` in the model: only the first and the last are loaded."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(96, 8)
y = (x @ torch.randn(8, 3)).argmax(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 16)
        self.layers = nn.ModuleList([nn.Linear(16, 16) for _ in range(3)])
        self.last = nn.Linear(16, 3)

    def forward(self, x):
        x = self.first(x)
        for layer in self.layers:
            x = x + torch.relu(layer(x))
        return self.last(x)


state = {k.replace("layers.", "layer."): v.clone() for k, v in Net().state_dict().items()}
net = Net()
net.load_state_dict(state, strict=False)  # <- cause
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(3):
    for rows in torch.randperm(96).split(16):
        opt.zero_grad()
        nn.functional.cross_entropy(net(x[rows]), y[rows]).backward()
        opt.step()
