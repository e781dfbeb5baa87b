"""One sample a step: many units are off for it, which says nothing."""
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(256, 8)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 2))
nn.init.constant_(model[0].bias, -1.0)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(15):
    loss = nn.functional.cross_entropy(model(x[step:step + 1]), y[step:step + 1])
    opt.zero_grad()
    loss.backward()
    opt.step()
