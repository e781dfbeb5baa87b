"""Channels of a CNN that are off everywhere."""
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.rand(256, 1, 6, 6)
y = (x.mean((1, 2, 3)) > 0.5).long()
conv = nn.Conv2d(1, 16, 3)
nn.init.constant_(conv.bias[1:], -4.0)
nn.init.constant_(conv.bias[:1], 1.0)
model = nn.Sequential(conv, nn.ReLU(), nn.Flatten(), nn.Linear(256, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(15):
    i = torch.randint(0, 256, (32,))
    loss = nn.functional.cross_entropy(model(x[i]), y[i])  # <- cause
    opt.zero_grad()
    loss.backward()
    opt.step()
