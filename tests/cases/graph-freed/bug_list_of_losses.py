"""The losses of all iterations are kept in a list, and their mean is what backward is called on."""
import torch
from torch import nn

torch.manual_seed(0)

m = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
o = torch.optim.SGD(m.parameters(), .01)
losses = []
for i in range(4):
    losses.append(m(torch.randn(5, 4)).pow(2).mean())  # <- cause
    total = torch.stack(losses).mean()  # <- cause
    o.zero_grad()
    total.backward()
    o.step()
