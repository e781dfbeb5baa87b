"""A network that grows: the new layer's parameters are given to the optimizer with add_param_group."""

import torch
import torch.nn as nn

torch.manual_seed(0)


class Growing(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(6, 6)])
        self.out = nn.Linear(6, 1)

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x)) + x
        return self.out(x)


net = Growing()
opt = torch.optim.Adam(net.parameters(), 1e-2)
x = torch.randn(40, 6)
for step in range(14):
    if step == 4:
        net.layers.append(nn.Linear(6, 6))
        opt.add_param_group({"params": net.layers[-1].parameters()})
    loss = (net(x) - x.prod(1, keepdim=True)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
