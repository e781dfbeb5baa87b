"""Decays as they are used: 5e-4 with SGD and momentum."""
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(400, 10)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4)
for step in range(30):
    i = torch.randint(0, 400, (64,))
    opt.zero_grad()
    nn.functional.cross_entropy(model(x[i]), y[i]).backward()
    opt.step()
