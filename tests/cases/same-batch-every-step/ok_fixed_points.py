"""A differential equation at fixed points, and slices of a training half in a loop over epochs and over folds."""
import torch
import torch.nn as nn

torch.manual_seed(0)
points = torch.linspace(0, 1, 50).unsqueeze(1).requires_grad_()
net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for epoch in range(4):
    u = net(points)
    (slope,) = torch.autograd.grad(u.sum(), points, create_graph=True)
    loss = ((slope + u) ** 2).mean() + (net(torch.zeros(1, 1)) - 1).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
x = torch.randn(90, 4)
model = nn.Linear(4, 1)
opt = torch.optim.SGD(model.parameters(), lr=1e-2)
for low in range(0, 90, 30):
    for epoch in range(4):
        fold = x[low : low + 30]
        opt.zero_grad()
        (model(fold) - fold.sum(1, keepdim=True)).pow(2).mean().backward()
        opt.step()
