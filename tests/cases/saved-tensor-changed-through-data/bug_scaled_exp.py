"""The result of exp, which exp keeps, is scaled through .data."""
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.rand(256, 4)
y = x.exp().sum(1, keepdim=True)
model = nn.Sequential(nn.Linear(4, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(15):
    p = model(x).exp()
    loss = (p - y).pow(2).mean()
    p.data.mul_(0.1)  # <- cause
    opt.zero_grad()
    loss.backward()
    opt.step()
