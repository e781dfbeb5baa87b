import copy

import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 12), nn.Tanh(), nn.Linear(12, 1))
init = copy.deepcopy(net.state_dict())
opt = torch.optim.Adam(net.parameters(), 1e-2)
x = torch.randn(48, 4)
y = x.prod(1, keepdim=True)


def evaluate(net):
    net.load_state_dict(init)  # <- cause
    net.eval()
    with torch.no_grad():
        return (net(x) - y).pow(2).mean().item()


for epoch in range(8):
    net.train()
    for i in range(0, 48, 12):
        loss = (net(x[i : i + 12]) - y[i : i + 12]).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    evaluate(net)  # <- cause
