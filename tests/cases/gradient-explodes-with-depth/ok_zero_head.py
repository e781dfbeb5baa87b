"""A last layer that starts at almost zero, in a network of usual layers."""
import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(256, 8)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(8, 32), *[m for _ in range(4) for m in (nn.ReLU(), nn.Linear(32, 32))], nn.Linear(32, 2))
nn.init.normal_(model[-1].weight, std=1e-3)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(15):
    i = torch.randint(0, 256, (32,))
    loss = nn.functional.cross_entropy(model(x[i]), y[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
