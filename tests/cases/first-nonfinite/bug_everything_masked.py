"""One sample of the batch is masked altogether: the softmax of nothing but -inf is NaN."""
import torch
from torch import nn

torch.manual_seed(0)

q = nn.Linear(4, 4)
v = nn.Linear(4, 2)
o = torch.optim.Adam([*q.parameters(), *v.parameters()], lr=.01)
for i in range(6):
    x = torch.randn(3, 5, 4)
    mask = torch.zeros(3, 5, dtype=torch.bool)
    mask[1] = True
    s = (q(x) @ x.transpose(1, 2)).masked_fill(mask[:, None, :], float('-inf'))  # <- cause
    a = torch.softmax(s, -1)  # <- cause
    l = (a @ v(x)).square().mean()
    o.zero_grad()
    l.backward()
    o.step()
