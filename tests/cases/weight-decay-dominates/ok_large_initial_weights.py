"""Weights that start far too large and are brought down by the gradient itself; the decay of 0.01 is beside it."""
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(256, 8)
y = (x[:, 0] - x[:, 1]).unsqueeze(1)
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
for p in model.parameters():
    nn.init.normal_(p, std=1.0)
opt = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9, weight_decay=0.01)
for step in range(30):
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
