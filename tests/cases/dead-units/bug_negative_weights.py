"""Inputs that are all positive, weights that are nearly all negative."""
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.rand(256, 8)
y = (x[:, 0] > 0.5).long()
model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 2))
nn.init.uniform_(model[0].weight, -0.5, 0.05)
nn.init.constant_(model[0].weight[0], 0.3)
opt = torch.optim.Adam(model.parameters(), lr=1e-4)
for step in range(15):
    i = torch.randint(0, 256, (32,))
    loss = nn.functional.cross_entropy(model(x[i]), y[i])  # <- cause
    opt.zero_grad()
    loss.backward()
    opt.step()
