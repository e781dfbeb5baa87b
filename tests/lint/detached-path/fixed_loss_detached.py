import torch
from torch import nn

model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(5):
    loss = nn.functional.mse_loss(model(torch.randn(3, 4)), torch.zeros(3, 1))  # <- cause
    opt.zero_grad()
    loss.requires_grad_()
    loss.backward()
    opt.step()
for step in range(5):
    out = model(torch.randn(3, 4))  # <- cause
    (out**2).mean().requires_grad_().backward()
