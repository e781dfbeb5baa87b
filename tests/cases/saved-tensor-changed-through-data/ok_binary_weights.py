"""Weights put to their signs before the forward pass and back after backward."""
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(256, 8)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.01)
layer = model[0]
for step in range(15):
    i = torch.randint(0, 256, (32,))
    kept = layer.weight.data.clone()
    layer.weight.data.sign_()
    loss = nn.functional.cross_entropy(model(x[i]), y[i])
    opt.zero_grad()
    loss.backward()
    layer.weight.data.copy_(kept)
    opt.step()
