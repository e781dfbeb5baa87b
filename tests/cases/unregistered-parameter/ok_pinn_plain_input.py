import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.rand(40, 1, requires_grad=True)
net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), 1e-3)
for _ in range(12):
    u = net(x)
    (du,) = torch.autograd.grad(u.sum(), x, create_graph=True)
    loss = (du - torch.cos(x)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
