"""Probabilities at the end that have become sure of themselves, each for some samples."""
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(256, 8)
y = (x[:, :1] > 0).float()
model = nn.Sequential(nn.Linear(8, 1), nn.Sigmoid())
nn.init.normal_(model[0].weight, std=0.1)
with torch.no_grad():
    model[0].weight[0, 0] = 20.0
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(15):
    loss = nn.functional.binary_cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
