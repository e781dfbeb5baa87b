"""The weights are clipped between the forward and the backward pass."""
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(256, 8)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(15):
    i = torch.randint(0, 256, (32,))
    loss = nn.functional.cross_entropy(model(x[i]), y[i])
    for p in model.parameters():
        p.data.clamp_(-0.05, 0.05)  # <- cause
    opt.zero_grad()
    loss.backward()
    opt.step()
